/* The program's exit statuses. */
#ifndef LF_CLI_EXIT_H
#define LF_CLI_EXIT_H

#include "lanefix.h"

enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2, EXIT_INPUT = 3, EXIT_SYSTEM = 4 };

static inline int cli_exit_status(enum lanefix_status status)
{
    switch (status) {
    case LANEFIX_OK:
        return EXIT_DONE;
    case LANEFIX_ERR_ARGUMENT:
        return EXIT_USAGE;
    case LANEFIX_ERR_INPUT:
    case LANEFIX_ERR_LIMIT:
        return EXIT_INPUT;
    case LANEFIX_ERR_IO:
    case LANEFIX_ERR_MEMORY:
    case LANEFIX_ERR_CANCELLED:
        break;
    }
    return EXIT_SYSTEM;
}

#endif
