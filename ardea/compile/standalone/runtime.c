/* ---- What the kernels need to run: errors, and the process that may have loaded them. ---- */

#ifndef ARDEA_SENTENCE_BYTES
#define ARDEA_SENTENCE_BYTES 2048
#endif

static _Thread_local char ardea_sentence[ARDEA_SENTENCE_BYTES];

/* Set where Ardea itself loads this code; NULL in every other program. */
static _Atomic(const ArdeaHost*) ardea_host_of_process;

ARDEA_SHARED void ardea_set_host(const ArdeaHost* host) { ardea_host_of_process = host; }
ARDEA_SHARED const ArdeaHost* ardea_host(void) { return ardea_host_of_process; }

/* Longer sentences are cut. */
static void ardea_keep_sentence(const char* sentence) {
  size_t length = strlen(sentence);
  if (length >= ARDEA_SENTENCE_BYTES) length = ARDEA_SENTENCE_BYTES - 1;
  memmove(ardea_sentence, sentence, length);
  ardea_sentence[length] = '\0';
}

ARDEA_SHARED void ardea_set_error(const char* sentence) {
  const ArdeaHost* host = ardea_host();
  ardea_keep_sentence(sentence != NULL ? sentence : "an error without a sentence");
  if (host != NULL) host->set_error(ardea_sentence);
}

ARDEA_SHARED const char* ardea_last_error(void) { return ardea_sentence; }

/* The decimal digits of value at `end`, backwards; where they begin. */
static char* ardea_write_number(int64_t value, char* end) {
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do *--end = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0) *--end = '-';
  return end;
}

/* What type the word code << 24 | bits << 16 | lanes is; the buffer holds 96 bytes. */
static const char* ardea_type_in_words(int64_t word, char* buffer) {
  static const struct {
    int64_t word;
    const char* name;
  } known[] = {
      {0x2200001, "float32"},     {0x2400001, "float64"}, {0x2100001, "float16"}, {0x4100001, "bfloat16"},
      {0x0200001, "int32"},       {0x0400001, "int64"},   {0x0100001, "int16"},   {0x0080001, "int8"},
      {0x0040001, "int4"},        {0x1200001, "uint32"},  {0x1400001, "uint64"},  {0x1100001, "uint16"},
      {0x1080001, "uint8"},       {0x1040001, "uint4"},   {0x6080001, "bool"},    {0xa080001, "float8_e4m3"},
      {0xc080001, "float8_e5m2"},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i)
    if (known[i].word == word) return known[i].name;
  char* at = buffer;
  const char* const parts[] = {"a type that Ardea has not (DLPack code ", ", ", " bits, "};
  const int64_t numbers[] = {word >> 24 & 0xff, word >> 16 & 0xff, word & 0xffff};
  for (int i = 0; i < 3; ++i) {
    char digits[24];
    char* const end = digits + sizeof(digits);
    at = (char*)memcpy(at, parts[i], strlen(parts[i])) + strlen(parts[i]);
    for (char* d = ardea_write_number(numbers[i], end); d != end; ++d) *at++ = *d;
  }
  memcpy(at, " lanes)", sizeof(" lanes)"));
  return buffer;
}

ARDEA_SHARED void ardea_set_error_format(const char* format, const int64_t* values, int32_t count) {
  char sentence[ARDEA_SENTENCE_BYTES];
  size_t length = 0;
  int32_t next = 0;
  for (const char* c = format; *c != '\0' && length + 1 < sizeof(sentence); ++c) {
    if (c[0] == '{' && c[1] == '}' && next < count) {
      char digits[24];
      char* const end = digits + sizeof(digits);
      for (char* d = ardea_write_number(values[next++], end); d != end && length + 1 < sizeof(sentence); ++d)
        sentence[length++] = *d;
      ++c;
    } else if (strncmp(c, "{type}", 6) == 0 && next < count) {
      char buffer[96];
      for (const char* w = ardea_type_in_words(values[next++], buffer);
           *w != '\0' && length + 1 < sizeof(sentence); ++w)
        sentence[length++] = *w;
      c += 5;
    } else {
      sentence[length++] = *c;
    }
  }
  sentence[length] = '\0';
  ardea_set_error(sentence);
}

#if defined(__x86_64__) && defined(__linux__)
long syscall(long number, ...);
#endif

ARDEA_SHARED int32_t ardea_request_tiles(void) {
#if defined(__x86_64__) && defined(__linux__)
  static _Atomic int granted; /* 1: granted, 2: refused */
  /* arch_prctl(ARCH_REQ_XCOMP_PERM, the component of the tiles' data) */
  if (granted == 0) granted = syscall(158, 0x1023L, 18L) == 0 ? 1 : 2;
  if (granted == 1) return 0;
#endif
  ardea_set_error(
      "the operating system does not let this process use the tile registers (AMX); compile for a target "
      "without "
      "amx-tile");
  return 1;
}

ARDEA_SHARED int32_t ardea_call_registered(const char* name, const ArdeaValue* arguments,
                                           const int32_t* type_codes, int32_t count, ArdeaValue* result,
                                           int32_t* result_code) {
  const ArdeaHost* host = ardea_host();
  if (host != NULL) {
    const int32_t status = host->call_registered(name, arguments, type_codes, count, result, result_code);
    if (status != 0) ardea_keep_sentence(host->last_error());
    return status;
  }
  char sentence[ARDEA_SENTENCE_BYTES] = "the program calls the registered function \"";
  const char* const rest =
      "\", which nobody provides here; load the library by ardea::runtime::load_module in a process that "
      "registers it";
  strncat(sentence, name, sizeof(sentence) - strlen(sentence) - strlen(rest) - 1);
  strcat(sentence, rest);
  ardea_set_error(sentence);
  return 1;
}
