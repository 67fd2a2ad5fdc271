/** From sysexits.h, so that a supervisor can tell a mistake from a crash. */
export const EXIT_USAGE = 64;
export const EXIT_CONFIG = 78;
