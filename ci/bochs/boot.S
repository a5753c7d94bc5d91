/* SPDX-License-Identifier: MIT */
/* Boot sector: has the BIOS read load.c, which is linked behind it, and enters it in 64-bit mode. */
        .set    TABLES, 0x70000         /* of pages: one of each level, 1 GiB mapped to itself */
        .code16
        .globl  start
start:  cli
        xorw    %ax, %ax
        movw    %ax, %ds
        movw    %ax, %ss
        movw    $start, %sp
        movw    $packet, %si
        movb    $0x42, %ah              /* int 13h, read by block number */
        int     $0x13
        inb     $0x92, %al              /* address line 20 */
        orb     $2, %al
        outb    %al, $0x92

        movw    $TABLES >> 4, %ax
        movw    %ax, %es
        xorl    %eax, %eax
        xorl    %edi, %edi
        movl    $0x3000 / 4, %ecx
        rep stosl
        movl    $TABLES + 0x1003, %es:0
        movl    $TABLES + 0x2003, %es:0x1000
        movw    $0x2000, %di
        movl    $0x83, %eax             /* present, writable, 2 MiB */
1:      movl    %eax, %es:(%di)
        addw    $8, %di
        addl    $0x200000, %eax
        cmpl    $0x40000083, %eax
        jne     1b

        movl    $TABLES, %eax
        movl    %eax, %cr3
        movl    %cr4, %eax
        orb     $0x20, %al              /* PAE */
        movl    %eax, %cr4
        movl    $0xc0000080, %ecx       /* EFER: long mode */
        rdmsr
        orb     $1, %ah
        wrmsr
        lgdt    descriptor
        movl    %cr0, %eax
        orl     $0x80000001, %eax       /* paging, protection */
        movl    %eax, %cr0
        ljmpl   $0x10, $2f
        .code64
2:      movl    $0x18, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        movl    $start, %esp
        jmp     load

        .balign 8
packet: .byte   16, 0
        .word   LOADER_SECTORS, start + 512, 0
        .quad   1
gdt:    .quad   0, 0
        .quad   0x00af9b000000ffff      /* 10h: code, as Linux wants it */
        .quad   0x00cf93000000ffff      /* 18h: data */
descriptor:
        .word   descriptor - gdt - 1
        .long   gdt
        .org    510
        .word   0xaa55
        .section .note.GNU-stack, "", @progbits
