// The words after `proa run`, taken apart (line.h).
#include "line.h"

#include <string.h>

static bool is(const char *word, const char *text)
{
  return strcmp(word, text) == 0;
}

size_t proa_own_option_words(char *const *args)
{
  if (is(args[0], "--mpi"))
    return args[1] ? 2 : 1;
  return is(args[0], "--help") || strncmp(args[0], "--mpi=", strlen("--mpi=")) == 0;
}

static void read_own_option(struct proa_line *line, char *const *args)
{
  if (is(args[0], "--help"))
    line->help = true;
  else if (is(args[0], "--mpi"))
    line->mpi = args[1] ? args[1] : "";
  else
    line->mpi = args[0] + strlen("--mpi=");
}

static void read_option(struct proa_line *line, struct proa_part *part, char *const *args, size_t words)
{
  const struct proa_option *option = proa_host_option(line->host, args[0]);

  if (!option)
    return;
  if (option->kind == PROA_OPTION_FILE)
    line->file = args[0];
  if (words == 2 && option->kind == PROA_OPTION_WDIR)
    part->wdir = args[1];
  if (words == 2 && option->kind == PROA_OPTION_PATH)
    part->path = args[1];
}

// Reads one part and gives back the word behind it: ":" or the end.
static char *const *read_part(struct proa_line *line, struct proa_part *part, char *const *args)
{
  part->options = args;
  while (*args && (*args)[0] == '-' && !is(*args, "--")) {
    size_t words = proa_own_option_words(args);
    if (words) {
      read_own_option(line, args);
    } else {
      words = proa_option_words(line->host, args);
      read_option(line, part, args, words);
    }
    args += words;
  }
  part->options_end = args;
  part->program = *args && is(*args, "--") ? ++args : args;
  while (*args && !is(*args, ":"))
    args++;
  part->end = args;
  return args;
}

struct proa_line proa_line_read(const struct proa_host *host, char *const *args)
{
  struct proa_line line = {.host = host};
  size_t colons = 0;

  for (char *const *word = args; *word; word++)
    colons += is(*word, ":");
  line.parts = proa_keep((colons + 1) * sizeof *line.parts);
  for (;;) {
    args = read_part(&line, &line.parts[line.part_count++], args);
    if (!*args)
      return line;
    args++; // the colon
  }
}
