/* SPDX-License-Identifier: MIT */
/* Kernels that break the calling convention of System V AMD64, after the wrapped one has done its
 * work. Each is void hn_broken_<what>(const void *args). */
        .hidden hn_wrapped

        .macro  begin what
        .globl  hn_broken_\what
        .hidden hn_broken_\what
        .type   hn_broken_\what, @function
hn_broken_\what:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    *hn_wrapped(%rip)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        .endm

        .macro  end what
        ret
        .cfi_endproc
        .size   hn_broken_\what, .-hn_broken_\what
        .endm

        .text
        begin   rbx
        xorl    %ebx, %ebx
        end     rbx

        begin   rbp
        incq    %rbp
        end     rbp

        begin   r12
        notq    %r12
        end     r12

        begin   r13
        xorl    %r13d, %r13d
        end     r13

        begin   r14
        decq    %r14
        end     r14

        begin   r15
        movl    %r15d, %r15d
        end     r15

/* the caller's frame: what lies above the return address */
        begin   stack
        incq    8(%rsp)
        end     stack

        begin   stack_far
        incq    64(%rsp)
        end     stack_far

        begin   direction
        std
        end     direction

        begin   upper
        vpcmpeqb %xmm0, %xmm0, %xmm0
        vinsertf128 $1, %xmm0, %ymm0, %ymm0
        end     upper

        begin   null
        movl    $0, 0
        end     null

        begin   illegal
        ud2
        end     illegal

/* int hn_upper_tracked(void): XGETBV tells whether upper halves are in use (CPUID.13.1:EAX[2]) */
        .globl  hn_upper_tracked
        .hidden hn_upper_tracked
        .type   hn_upper_tracked, @function
hn_upper_tracked:
        .cfi_startproc
        endbr64
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        movl    $13, %eax
        movl    $1, %ecx
        cpuid
        shrl    $2, %eax
        andl    $1, %eax
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        ret
        .cfi_endproc
        .size   hn_upper_tracked, .-hn_upper_tracked
/* a value on the x87 stack, as MMX leaves them without emms */
        begin   x87
        fld1
        end     x87

/* Kernels whose first byte of output depends on what nobody has set: eax of what was on the stack
 * below, or in a register. y is the first member of every argument struct. */
        .macro  stale what, where, register=%xmm0
        .globl  hn_stale_\what
        .hidden hn_stale_\what
        .type   hn_stale_\what, @function
hn_stale_\what:
        .cfi_startproc
        endbr64
        subq    $24, %rsp
        .cfi_adjust_cfa_offset 24
        .ifc    \register, %xmm0
        movd    \where, %xmm0
        .endif
        movd    \register, 8(%rsp)
        movq    %rdi, 16(%rsp)
        call    *hn_wrapped(%rip)
        movq    16(%rsp), %rdi
        movq    (%rdi), %rdi
        movb    8(%rsp), %al
        xorb    %al, (%rdi)
        addq    $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        .cfi_endproc
        .size   hn_stale_\what, .-hn_stale_\what
        .endm

        stale   local, -1024(%rsp)
        stale   local_far, -80000(%rsp)
        stale   register, 8(%rsp), %xmm15
        .section .note.GNU-stack, "", @progbits
