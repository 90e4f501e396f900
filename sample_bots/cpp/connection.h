#pragma once

/** Plays until Ctrl-C. After the first one (or SIGTERM) the running matches are finished; the second
 * leaves at once. Returns the exit code: 2 if the referee refuses the bot. */
int run();
