/* SPDX-License-Identifier: MIT */
/* The suite files, inside the program: hn_suite_<name>, ending with a NUL. */
        .section .rodata
        .macro  suite name
        .globl  hn_suite_\name
        .hidden hn_suite_\name
hn_suite_\name:
        .incbin "\name\().cases"
        .byte   0
        .endm

        suite   smoke
        suite   ci
        suite   nightly
        suite   bench
        .section .note.GNU-stack, "", @progbits
