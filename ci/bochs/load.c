/* SPDX-License-Identifier: MIT */
/* Loader: copies kernel and initramfs from the disk and enters the kernel by the 64-bit boot protocol
 * (Documentation/arch/x86/boot.rst of Linux). ci/emulate.sh defines KERNEL_BYTES, INITRAMFS_BYTES. */
#include <asm/bootparam.h>

enum {
    SECTOR = 512,
    SECTORS_AT_ONCE = 128,
    DATA = 0x1f0,
    COUNT = 0x1f2,
    LBA = 0x1f3,
    COMMAND = 0x1f7
};
enum { KERNEL = 0x1000000, INITRAMFS = 0x8000000, PARAMS = 0x90000, MEMORY = 510 << 20 };

/* Debian's Bochs 2.7 is wrong about XSAVE (pku, xsaves, xsavec: Linux would switch AVX off) and about
 * fast strings (fsrm: memmove would not end). tsc_early_khz is ips of bochsrc. */
static const char command_line[] =
    "console=none quiet panic=-1 rdinit=/init nokaslr mitigations=off nopti acpi=off noapic "
    "nolapic_timer idle=halt tsc=reliable tsc_early_khz=20000 lpj=1000000 random.trust_cpu=on "
    "nopku noxsaves clearcpuid=pku,ospke,xsaves,xsavec,fsrm,erms,aperfmperf,mwait "
    "security=none audit=0 nowatchdog cryptomgr.notests rodata=off "
    "initcall_blacklist=trace_eval_init,init_kprobe_trace,cubictcp_register";

static void out(unsigned short port, unsigned char value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static unsigned char in(unsigned short port)
{
    unsigned char value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

/* Copies `bytes` from the disk's sector `lba` on; returns the sector behind. */
static unsigned read_disk(unsigned lba, unsigned bytes, unsigned char *to)
{
    const unsigned end = lba + (bytes + SECTOR - 1) / SECTOR;
    for (unsigned left = 0; lba < end; lba++, left--) {
        unsigned long words = SECTOR / 4;
        if (left == 0) {
            left = end - lba < SECTORS_AT_ONCE ? end - lba : SECTORS_AT_ONCE;
            out(COUNT, (unsigned char)left);
            for (int i = 0; i < 3; i++)
                out((unsigned short)(LBA + i), (unsigned char)(lba >> 8 * i));
            out(LBA + 3, (unsigned char)(0xe0 | lba >> 24));
            out(COMMAND, 0x20);
        }
        while ((in(COMMAND)&0x88) != 0x08) {
        } /* busy, or no data */
        __asm__ volatile("rep insl" : "+D"(to), "+c"(words) : "d"(DATA) : "memory");
    }
    return end;
}

_Noreturn void load(void)
{
    struct boot_params *const params = (struct boot_params *)PARAMS;
    out(0x3f6, 2); /* the disk without interrupts */
    read_disk(read_disk(1 + LOADER_SECTORS, KERNEL_BYTES, (unsigned char *)KERNEL), INITRAMFS_BYTES,
              (unsigned char *)INITRAMFS);
    out(0x3f6, 0);
    for (unsigned i = 0; i < sizeof *params; i++) ((volatile char *)params)[i] = 0;
    params->hdr.header = 0x53726448; /* HdrS */
    params->hdr.version = 0x020f;
    params->hdr.type_of_loader = 0xff;
    params->hdr.loadflags = LOADED_HIGH;
    params->hdr.ramdisk_image = INITRAMFS;
    params->hdr.ramdisk_size = INITRAMFS_BYTES;
    params->hdr.cmd_line_ptr = (unsigned)(unsigned long)command_line;
    params->hdr.cmdline_size = sizeof command_line;
    params->e820_entries = 2;
    params->e820_table[0] = (struct boot_e820_entry){ 0, 0x9f000, 1 };
    params->e820_table[1] = (struct boot_e820_entry){ 0x100000, MEMORY - 0x100000, 1 };
    __asm__ volatile("jmp *%0" : : "r"((unsigned long)KERNEL), "S"(params) : "memory");
    __builtin_unreachable();
}
