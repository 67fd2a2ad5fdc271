/** The first line of a request about a message. The agent reads it, too. @param place its address in brackets, or nothing */
export const aboutLine = (place: string): string => `About this Slack message${place}:`;
/** Before what came along with a request, as people read it. */
export const withNotes = 'With these notes:';
