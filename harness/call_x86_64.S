/* SPDX-License-Identifier: MIT */
/* void hn_call_asm(ck_fn *fn, const void *args, hn_probe *probe): System V AMD64. */
        .text
        .globl  hn_call_asm
        .hidden hn_call_asm
        .type   hn_call_asm, @function

#define CANARY  $0x7ea5c0de
#define RBX_IN  $0x5eed0000000000b1
#define RBP_IN  $0x5eed0000000000b2
#define R12_IN  $0x5eed000000000012
#define R13_IN  $0x5eed000000000013
#define R14_IN  $0x5eed000000000014
#define R15_IN  $0x5eed000000000015

/* damage |= bit unless reg still holds value; rcx is the probe */
        .macro  verify reg, value, bit
        movabsq \value, %rax
        cmpq    %rax, \reg
        je      1f
        orl     $\bit, 12(%rcx)
1:
        .endm

hn_call_asm:
        .cfi_startproc
        endbr64
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        subq    $64, %rsp
        .cfi_adjust_cfa_offset 64
        movq    CANARY, %rax
        .irp    slot, 0, 8, 16, 24, 32, 40, 48, 56
        movq    %rax, \slot(%rsp)
        .endr
        cmpl    $0, 16(%rdx)
        je      2f
        vzeroupper
2:
        stmxcsr 0(%rdx)
        fnstcw  8(%rdx)
        movq    %rdi, %r8
        movl    24(%rdx), %ecx
        leaq    (,%rcx,4), %r10
        subq    %r10, %rsp
        movq    %rsp, %rdi
        movl    20(%rdx), %eax
        rep stosl
        addq    %r10, %rsp
        movd    %eax, %xmm0
        pshufd  $0, %xmm0, %xmm0
        .irp    other, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  %xmm0, %xmm\other
        .endr
        movq    %r8, %rax
        movq    %rsi, %rdi
        movabsq RBX_IN, %rbx
        movabsq RBP_IN, %rbp
        movabsq R12_IN, %r12
        movabsq R13_IN, %r13
        movabsq R14_IN, %r14
        movabsq R15_IN, %r15
        call    *%rax
        movq    64(%rsp), %rcx
        stmxcsr 4(%rcx)
        fnstcw  10(%rcx)
        movl    $0, 12(%rcx)
        subq    $32, %rsp
        fnstenv (%rsp)
        movl    8(%rsp), %eax
        addq    $32, %rsp
        cmpw    $-1, %ax
        je      1f
        orl     $512, 12(%rcx)
        emms
1:
        verify  %rbx, RBX_IN, 1
        verify  %rbp, RBP_IN, 2
        verify  %r12, R12_IN, 4
        verify  %r13, R13_IN, 8
        verify  %r14, R14_IN, 16
        verify  %r15, R15_IN, 32
        movq    CANARY, %rdx
        .irp    slot, 0, 8, 16, 24, 32, 40, 48, 56
        cmpq    %rdx, \slot(%rsp)
        je      1f
        orl     $64, 12(%rcx)
1:
        .endr
        pushfq
        popq    %rax
        testl   $0x400, %eax
        je      3f
        orl     $128, 12(%rcx)
3:
        cld
        addq    $64, %rsp
        .cfi_adjust_cfa_offset -64
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   hn_call_asm, .-hn_call_asm

/* void hn_trace_asm(ck_fn *fn, const void *args): calls fn(args) with the trap flag set. */
        .text
        .globl  hn_trace_asm
        .hidden hn_trace_asm
        .type   hn_trace_asm, @function
hn_trace_asm:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq    %rdi, %rax
        movq    %rsi, %rdi
        pushfq
        orl     $0x100, (%rsp)
        popfq
        call    *%rax
        pushfq
        andl    $0xfffffeff, (%rsp)
        popfq
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   hn_trace_asm, .-hn_trace_asm
        .section .note.GNU-stack, "", @progbits
