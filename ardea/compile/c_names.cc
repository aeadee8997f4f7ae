#include "ardea/compile/c_names.h"

#include <cctype>

namespace ardea::compile {

namespace {

using Names = std::set<std::string, std::less<>>;

const Names& keywords() {
  static const Names names = {
      // C11
      "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
      "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
      "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
      "volatile", "while",
      // C++ and C23
      "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char8_t", "char16_t",
      "char32_t", "class", "compl", "concept", "consteval", "constexpr", "constinit", "const_cast",
      "co_await", "co_return", "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export",
      "false", "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator",
      "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires", "static_assert",
      "static_cast", "template", "this", "thread_local", "throw", "true", "try", "typeid", "typename",
      "typeof", "typeof_unqual", "using", "virtual", "wchar_t", "xor", "xor_eq"};
  return names;
}

/// Functions that a C program may have been compiled to expect, by header.
const Names& library_functions() {
  static const Names names = {
      "main",
      // math.h; each has a form with f and with l behind it
      "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh",
      "drem", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "finite", "floor", "fma",
      "fmax", "fmin", "fmod", "frexp", "gamma", "hypot", "ilogb", "isinf", "isnan", "j0", "j1", "jn", "ldexp",
      "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf",
      "nan", "nearbyint", "nextafter", "nexttoward", "pow", "remainder", "remquo", "rint", "round",
      "roundeven", "scalb", "scalbln", "scalbn", "significand", "sin", "sincos", "sinh", "sqrt", "tan",
      "tanh", "tgamma", "trunc", "y0", "y1", "yn",
      // stdlib.h, string.h, stdio.h, time.h, signal.h, setjmp.h, ctype.h, locale.h
      "abort", "abs", "aligned_alloc", "atexit", "atof", "atoi", "atol", "atoll", "bsearch", "calloc", "div",
      "exit", "free", "getenv", "labs", "ldiv", "llabs", "lldiv", "malloc", "mblen", "mbstowcs", "mbtowc",
      "qsort", "quick_exit", "rand", "random", "realloc", "srand", "srandom", "strtod", "strtof", "strtol",
      "strtold", "strtoll", "strtoul", "strtoull", "system", "wcstombs", "wctomb", "memchr", "memcmp",
      "memcpy", "memmove", "memset", "strcat", "strchr", "strcmp", "strcoll", "strcpy", "strcspn", "strdup",
      "strerror", "strlen", "strncat", "strncmp", "strncpy", "strpbrk", "strrchr", "strspn", "strstr",
      "strtok", "strxfrm", "clearerr", "fclose", "feof", "ferror", "fflush", "fgetc", "fgetpos", "fgets",
      "fopen", "fprintf", "fputc", "fputs", "fread", "freopen", "fscanf", "fseek", "fsetpos", "ftell",
      "fwrite", "getc", "getchar", "getline", "gets", "perror", "printf", "putc", "putchar", "puts", "remove",
      "rename", "rewind", "scanf", "setbuf", "setvbuf", "snprintf", "sprintf", "sscanf", "tmpfile", "tmpnam",
      "ungetc", "vfprintf", "vprintf", "vsnprintf", "vsprintf", "asctime", "clock", "ctime", "difftime",
      "gmtime", "localtime", "mktime", "strftime", "time", "raise", "signal", "longjmp", "setjmp", "isalnum",
      "isalpha", "isdigit", "islower", "isspace", "isupper", "tolower", "toupper", "localeconv", "setlocale",
      // POSIX and Linux
      "accept", "access", "alarm", "bind", "brk", "chdir", "chmod", "chown", "close", "connect", "creat",
      "daemon", "dup", "dup2", "environ", "err", "error", "execv", "execve", "fcntl", "fork", "fsync",
      "getpid", "index", "ioctl", "kill", "link", "listen", "lseek", "mmap", "mount", "munmap", "nice",
      "open", "pause", "pipe", "poll", "pread", "pwrite", "read", "recv", "rindex", "rmdir", "sbrk", "select",
      "send", "shutdown", "sleep", "socket", "splice", "stat", "swab", "sync", "syscall", "tee", "times",
      "truncate", "umask", "uname", "unlink", "usleep", "wait", "warn", "write"};
  return names;
}

/// Of Ardea's runtime and of what stands around the kernels (ardea/compile/standalone).
const Names& runtime_functions() {
  static const Names names = {
      "ardea_set_error",    "ardea_set_error_format", "ardea_last_error",    "ardea_allocate", "ardea_free",
      "ardea_parallel_for", "ardea_call_registered",  "ardea_request_tiles", "ardea_set_host", "ardea_host",
      "ardea_library"};
  return names;
}

/// What the headers that stand around define beside functions: a parameter of that name would not compile.
const Names& header_names() {
  static const Names names = {"NULL",     "linux",    "unix",    "i386",     "int8_t",   "int16_t",
                              "int32_t",  "int64_t",  "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                              "intptr_t", "size_t",   "errno",   "stdin",    "stdout",   "stderr",
                              "EOF",      "I",        "complex", "assert",   "INFINITY", "NAN",
                              "CPU_ZERO", "CPU_COUNT"};
  return names;
}

bool is_library_function(const std::string& name) {
  if (library_functions().contains(name)) return true;
  const bool variant = name.size() > 2 && (name.back() == 'f' || name.back() == 'l');
  return variant && library_functions().contains(name.substr(0, name.size() - 1));
}

}  // namespace

bool is_c_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  for (const char c : name)
    if (c != '_' &&
        (static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) == 0))
      return false;
  return true;
}

std::string why_not_a_c_function(const std::string& name) {
  if (!is_c_identifier(name)) return "is no identifier of C";
  if (keywords().contains(name)) return "is a keyword of C or C++";
  if (is_library_function(name)) return "is a function of the C library";
  if (name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) != 0))
    return "is reserved for compilers";
  if (runtime_functions().contains(name) || name.starts_with("ardea_entry_") || header_names().contains(name))
    return "is a name of Ardea's own or of a header";
  return "";
}

std::string c_parameter_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name;
  for (const char c : wanted) name += is_c_identifier(std::string("_") + c) ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "p" + name;
  // The wrapper's own variables begin with ardea_.
  if (keywords().contains(name) || header_names().contains(name) || name.starts_with("ardea_") ||
      name.starts_with("_"))
    name = "p_" + name;
  const std::string base = name;
  for (int i = 1; !taken.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

}  // namespace ardea::compile
