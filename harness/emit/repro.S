/* SPDX-License-Identifier: MIT */
/* The text that every emitted file has in common, inside the program: hn_repro_text, ending with a NUL. */
        .section .rodata
        .globl  hn_repro_text
        .hidden hn_repro_text
hn_repro_text:
        .incbin "repro.c.in"
        .byte   0
        .section .note.GNU-stack, "", @progbits
