/** From sysexits.h, so that a supervisor can tell what may pass by itself from a mistake, and both from a crash. */
export const EXIT_USAGE = 64;
export const EXIT_TEMPORARY = 75;
export const EXIT_CONFIG = 78;
