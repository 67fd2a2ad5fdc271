/** Those that are under way: also of a test that hangs because something was broken. */
export const watches = new Set<{ verify(): void }>();
