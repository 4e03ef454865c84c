/* SPDX-License-Identifier: MIT */
/*
 * The probe in C: probe NONCE MARK [OPERATION PATH [OTHER]]...
 *
 * Says what probe.sh says, and can do what a shell cannot: exchange, connect, tcp PORT, udp PORT, abstract NAME, and
 * errno numbers in place of silence.
 * It needs no library, so that it runs in a sandbox that shows none, and opens nothing in a way that blocks.
 */

#if defined(__x86_64__)
enum {
    SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_socket = 41, SYS_connect = 42, SYS_clone = 56, SYS_execve = 59,
    SYS_exit_group = 231, SYS_wait4 = 61, SYS_getdents64 = 217, SYS_openat = 257, SYS_mkdirat = 258,
    SYS_newfstatat = 262, SYS_unlinkat = 263, SYS_linkat = 265, SYS_symlinkat = 266, SYS_fchmodat = 268,
    SYS_utimensat = 280, SYS_dup3 = 292, SYS_pipe2 = 293, SYS_renameat2 = 316,
};
enum { MODE_OFFSET = 24, O_DIRECTORY = 0200000 };

__asm__(".globl _start\n"
        "_start:\n"
        "    xorl %ebp, %ebp\n"
        "    movq %rsp, %rdi\n"
        "    andq $-16, %rsp\n"
        "    call start\n"
        ".globl system_call\n"
        "system_call:\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    syscall\n"
        "    ret\n");
#elif defined(__aarch64__)
enum {
    SYS_dup3 = 24, SYS_mkdirat = 34, SYS_unlinkat = 35, SYS_symlinkat = 36, SYS_linkat = 37, SYS_fchmodat = 53,
    SYS_openat = 56, SYS_close = 57, SYS_pipe2 = 59, SYS_getdents64 = 61, SYS_read = 63, SYS_write = 64,
    SYS_newfstatat = 79, SYS_utimensat = 88, SYS_exit_group = 94, SYS_socket = 198, SYS_connect = 203,
    SYS_clone = 220, SYS_execve = 221, SYS_wait4 = 260, SYS_renameat2 = 276,
};
enum { MODE_OFFSET = 16, O_DIRECTORY = 040000 };

__asm__(".globl _start\n"
        "_start:\n"
        "    mov x29, #0\n"
        "    mov x0, sp\n"
        "    bl start\n"
        ".globl system_call\n"
        "system_call:\n"
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    svc #0\n"
        "    ret\n");
#else
#error "no system call numbers for this processor"
#endif

/* Up to five arguments; a result from -4095 to -1 is a negative errno. */
long system_call(long number, long a, long b, long c, long d, long e);

#define CALL(name, a, b, c, d, e) system_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100 };
enum { O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_NOCTTY = 0400, O_TRUNC = 01000, O_APPEND = 02000 };
enum { O_NONBLOCK = 04000, O_CLOEXEC = 02000000 };
enum { S_IFMT = 0170000, S_IFIFO = 0010000, S_IFCHR = 0020000, S_IFDIR = 0040000, S_IFBLK = 0060000 };
enum { S_IFREG = 0100000, S_IFLNK = 0120000, S_IFSOCK = 0140000 };
enum { ENOEXEC = 8, EEXIST = 17, ENAMETOOLONG = 36, ENOSYS = 38, EPROTOTYPE = 91 };
enum { AF_UNIX = 1, AF_INET = 2, SOCK_STREAM = 1, SOCK_DGRAM = 2, SOCK_SEQPACKET = 5, SUN_PATH_SIZE = 108 };
enum { RENAME_EXCHANGE = 2, SIGCHLD = 17 };

enum { LINE_SIZE = 4096, MOST_ODD = 64 };

static const char *nonce, *mark;
static char **environment;
static long number; /* of the question at hand */

/* What a compiler may call even where there is no library, and tcc does. */
void *memset(void *to, int byte, unsigned long size)
{
    for (char *at = to; size > 0; size--)
        *at++ = (char)byte;
    return to;
}

static long length(const char *text)
{
    long size = 0;
    while (text[size] != '\0')
        size++;
    return size;
}

static int equal(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/* --- what is said --- */

struct line {
    char text[LINE_SIZE + 512];
    long size;
};

static void add(struct line *line, const char *text)
{
    while (*text != '\0' && line->size < (long)sizeof line->text - 1)
        line->text[line->size++] = *text++;
}

static void add_number(struct line *line, long value)
{
    char digits[24];
    int at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    add(line, digits + at);
}

static long put(long fd, struct line *line)
{
    long done = 0;
    line->text[line->size++] = '\n';
    while (done < line->size) {
        long wrote = CALL(write, fd, line->text + done, line->size - done, 0, 0);
        if (wrote < 0)
            return wrote;
        done += wrote;
    }
    return 0;
}

static void say(const char *verdict, const char *payload, long value)
{
    struct line line;
    line.size = 0;
    add(&line, nonce);
    add(&line, " ");
    add_number(&line, number);
    add(&line, " ");
    add(&line, verdict);
    if (*payload != '\0' || value >= 0)
        add(&line, " ");
    add(&line, payload);
    if (value >= 0)
        add_number(&line, value);
    put(1, &line);
}

static void yes(const char *payload) { say("ok", payload, -1); }
static void no(const char *payload) { say("no", payload, -1); }
static void unable(void) { say("unable", "", -1); }

/* The answer to what one system call decides. */
static void tell(long result)
{
    if (result == -ENOSYS)
        unable();
    else if (result < 0)
        say("no", "", -result);
    else
        yes("");
}

/* --- what is there --- */

/* The type of a file, or a negative errno. */
static long type_of(const char *path, long flags)
{
    unsigned int status[64]; /* struct stat: 144 bytes or fewer */
    long result = CALL(newfstatat, AT_FDCWD, path, status, flags, 0);
    return result < 0 ? result : (long)(status[MODE_OFFSET / 4] & S_IFMT);
}

static int is_special(long type)
{
    return type == S_IFIFO || type == S_IFCHR || type == S_IFBLK || type == S_IFSOCK;
}

/* False, having said so, for what is not there or would block. */
static int ordinary(const char *path)
{
    long type = type_of(path, 0);
    if (type < 0)
        tell(type);
    else if (is_special(type))
        no("special");
    return type >= 0 && !is_special(type);
}

static long open_file(const char *path, long flags)
{
    return CALL(openat, AT_FDCWD, path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666, 0);
}

/* --- operations --- */

static int is_printable(char byte)
{
    const char *others = "_.,:/+=@-";
    if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'))
        return 1;
    while (*others != '\0' && *others != byte)
        others++;
    return *others != '\0';
}

/* The first line, with a question mark for each of up to MOST_ODD odd characters, and what follows cut off. */
static void first_line(const char *text, long size)
{
    char shown[LINE_SIZE + 1];
    long at = 0, odd = 0;
    while (at < size && text[at] != '\n' && odd < MOST_ODD) {
        shown[at] = is_printable(text[at]) ? text[at] : '?';
        odd += shown[at] == '?';
        at++;
    }
    shown[at] = '\0';
    yes(shown);
}

static void read_line(const char *path)
{
    char text[LINE_SIZE];
    long fd, size;
    if (!ordinary(path))
        return;
    fd = open_file(path, O_RDONLY);
    if (fd < 0) {
        tell(fd);
        return;
    }
    size = CALL(read, fd, text, sizeof text, 0, 0);
    CALL(close, fd, 0, 0, 0, 0);
    if (size < 0)
        tell(size);
    else
        first_line(text, size);
}

/* One line of this probe's own, to a file that may be new, or to where a dangling link leads. */
static void append(const char *path)
{
    struct line line;
    long result, fd = open_file(path, O_WRONLY | O_APPEND | O_CREAT);
    if (fd < 0) {
        tell(fd);
        return;
    }
    line.size = 0;
    add(&line, mark);
    add(&line, "-");
    add_number(&line, number);
    result = put(fd, &line);
    CALL(close, fd, 0, 0, 0, 0);
    tell(result);
}

static void write_file(const char *path)
{
    if (is_special(type_of(path, 0)))
        no("special");
    else
        append(path);
}

static void create(const char *path)
{
    if (type_of(path, 0) >= 0)
        no("exists");
    else
        append(path);
}

static void truncate_file(const char *path)
{
    long fd;
    if (!ordinary(path))
        return;
    fd = open_file(path, O_WRONLY | O_TRUNC);
    tell(fd);
    if (fd >= 0)
        CALL(close, fd, 0, 0, 0, 0);
}

struct entry {
    unsigned long long inode;
    long long offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

static void list(const char *path)
{
    _Alignas(struct entry) char entries[8192];
    long size, at, names = 0, fd = open_file(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        tell(fd);
        return;
    }
    while ((size = CALL(getdents64, fd, entries, sizeof entries, 0, 0)) > 0)
        for (at = 0; at < size; at += ((struct entry *)(entries + at))->size) {
            const char *name = ((struct entry *)(entries + at))->name;
            names += !equal(name, ".") && !equal(name, "..");
        }
    CALL(close, fd, 0, 0, 0, 0);
    if (size < 0)
        tell(size);
    else
        say("ok", "", names);
}

static void kind(const char *path)
{
    long type = type_of(path, AT_SYMLINK_NOFOLLOW);
    if (type < 0)
        tell(type);
    else
        yes(type == S_IFLNK ? "link" : type == S_IFDIR ? "folder" : type == S_IFREG ? "file" : "special");
}

static void point(const char *path, const char *text)
{
    long result = CALL(symlinkat, text, AT_FDCWD, path, 0, 0);
    if (result == -EEXIST && type_of(path, AT_SYMLINK_NOFOLLOW) == S_IFLNK) {
        result = CALL(unlinkat, AT_FDCWD, path, 0, 0, 0);
        if (result == 0)
            result = CALL(symlinkat, text, AT_FDCWD, path, 0, 0);
    }
    tell(result);
}

static void execute_and_report(const char *path, long report)
{
    const char *arguments[2] = {path, 0};
    long fd, null = CALL(openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0, 0);
    int fault;
    for (fd = 0; fd <= 2 && null >= 0; fd++)
        CALL(dup3, null, fd, 0, 0, 0);
    fault = (int)CALL(execve, path, arguments, environment, 0, 0);
    CALL(write, report, &fault, sizeof fault, 0, 0);
    CALL(exit_group, 127, 0, 0, 0, 0);
}

/* Executed, or of a format that the kernel does not know but a shell would take for a script. */
static void run(const char *path)
{
    int report[2], fault = 0;
    long child, result = CALL(pipe2, report, O_CLOEXEC, 0, 0, 0);
    if (result >= 0)
        result = child = CALL(clone, SIGCHLD, 0, 0, 0, 0);
    if (result < 0) {
        unable();
        return;
    }
    if (child == 0)
        execute_and_report(path, report[1]);
    CALL(close, report[1], 0, 0, 0, 0);
    CALL(read, report[0], &fault, sizeof fault, 0, 0);
    CALL(close, report[0], 0, 0, 0, 0);
    CALL(wait4, child, 0, 0, 0, 0);
    tell(fault == -ENOEXEC ? 0 : fault);
}

struct address {
    unsigned short family;
    char path[SUN_PATH_SIZE];
};

static long connect_as(long type, const struct address *address)
{
    long result, fd = CALL(socket, AF_UNIX, type | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return fd;
    result = CALL(connect, fd, address, sizeof *address, 0, 0);
    CALL(close, fd, 0, 0, 0, 0);
    return result;
}

static void connect_to(const char *path)
{
    struct address address;
    long at, result, size = length(path);
    if (size >= SUN_PATH_SIZE) {
        unable();
        return;
    }
    address.family = AF_UNIX;
    for (at = 0; at < SUN_PATH_SIZE; at++)
        address.path[at] = at < size ? path[at] : '\0';
    result = connect_as(SOCK_STREAM, &address);
    if (result == -EPROTOTYPE)
        result = connect_as(SOCK_DGRAM, &address);
    if (result == -EPROTOTYPE)
        result = connect_as(SOCK_SEQPACKET, &address);
    tell(result);
}

/* A line to a device; nothing is made where there is none. */
static void write_device(const char *path)
{
    struct line line;
    long result, fd;
    if (type_of(path, 0) != S_IFCHR) {
        no("absent");
        return;
    }
    fd = open_file(path, O_WRONLY);
    if (fd < 0) {
        tell(fd);
        return;
    }
    line.size = 0;
    result = put(fd, &line);
    CALL(close, fd, 0, 0, 0, 0);
    tell(result);
}

/* --- listeners of the suite's own --- */

/* Connected, with one byte sent: a datagram that nobody has sent cannot arrive. */
static void reach(long family, long type, const void *address, long size)
{
    long result, fd = CALL(socket, family, type | O_CLOEXEC, 0, 0, 0);
    if (fd < 0) {
        tell(fd);
        return;
    }
    result = CALL(connect, fd, address, size, 0, 0);
    if (result >= 0)
        result = CALL(write, fd, "b", 1, 0, 0);
    CALL(close, fd, 0, 0, 0, 0);
    tell(result);
}

static void reach_port(long type, const char *port)
{
    unsigned char address[16] = {AF_INET, 0, 0, 0, 127, 0, 0, 1};
    long value = 0;
    while (*port >= '0' && *port <= '9')
        value = value * 10 + *port++ - '0';
    address[2] = (unsigned char)(value >> 8);
    address[3] = (unsigned char)value;
    reach(AF_INET, type, address, sizeof address);
}

static void reach_abstract(const char *name)
{
    struct address address;
    long at, size = length(name);
    address.family = AF_UNIX;
    address.path[0] = '\0';
    for (at = 0; at < size && at + 1 < SUN_PATH_SIZE; at++)
        address.path[at + 1] = name[at];
    reach(AF_UNIX, SOCK_STREAM, &address, (long)sizeof address.family + 1 + at);
}

static void answer(const char *operation, const char *path, const char *other)
{
    if (equal(operation, "read"))
        read_line(path);
    else if (equal(operation, "write"))
        write_file(path);
    else if (equal(operation, "create"))
        create(path);
    else if (equal(operation, "truncate"))
        truncate_file(path);
    else if (equal(operation, "list"))
        list(path);
    else if (equal(operation, "stat"))
        kind(path);
    else if (equal(operation, "remove"))
        tell(CALL(unlinkat, AT_FDCWD, path, 0, 0, 0));
    else if (equal(operation, "mkdir"))
        tell(CALL(mkdirat, AT_FDCWD, path, 0777, 0, 0));
    else if (equal(operation, "chmod"))
        tell(CALL(fchmodat, AT_FDCWD, path, 0777, 0, 0));
    else if (equal(operation, "touch"))
        tell(CALL(utimensat, AT_FDCWD, path, 0, 0, 0));
    else if (equal(operation, "rename"))
        tell(CALL(renameat2, AT_FDCWD, path, AT_FDCWD, other, 0));
    else if (equal(operation, "exchange"))
        tell(CALL(renameat2, AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE));
    else if (equal(operation, "link"))
        tell(CALL(linkat, AT_FDCWD, path, AT_FDCWD, other, 0));
    else if (equal(operation, "symlink"))
        point(path, other);
    else if (equal(operation, "exec"))
        run(path);
    else if (equal(operation, "connect"))
        connect_to(path);
    else if (equal(operation, "tcp"))
        reach_port(SOCK_STREAM, path);
    else if (equal(operation, "udp"))
        reach_port(SOCK_DGRAM, path);
    else if (equal(operation, "abstract"))
        reach_abstract(path);
    else if (equal(operation, "device"))
        write_device(path);
    else
        unable();
}

static int words(const char *operation)
{
    return equal(operation, "rename") || equal(operation, "exchange") || equal(operation, "link") ||
                   equal(operation, "symlink")
               ? 3
               : 2;
}

static void frame(const char *word, long value)
{
    struct line line;
    line.size = 0;
    add(&line, nonce);
    add(&line, " ");
    add(&line, word);
    if (value >= 0) {
        add(&line, " ");
        add_number(&line, value);
    }
    put(1, &line);
}

/* The kernel's stack at the start: the number of arguments, the arguments, a null, the environment, a null. */
void start(long *stack)
{
    long count = 0, argc = stack[0], at;
    char **argv = (char **)(stack + 1);
    environment = argv + argc + 1;
    if (argc < 3)
        CALL(exit_group, 2, 0, 0, 0, 0);
    nonce = argv[1];
    mark = argv[2];
    for (at = 3; at + 1 < argc && at + words(argv[at]) <= argc; at += words(argv[at]))
        count++;
    frame("begin", count);
    for (at = 3; number < count; at += words(argv[at])) {
        answer(argv[at], argv[at + 1], argv[at + 2]);
        number++;
    }
    frame("end", -1);
    CALL(exit_group, 0, 0, 0, 0, 0);
}
