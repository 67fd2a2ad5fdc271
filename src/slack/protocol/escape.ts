const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Text as mrkdwn in which nothing is a mention, a labelled link or a date. */
export function escapeMrkdwn(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character] ?? character);
}

/** The text that was escaped; undoes one escaping, not two. */
export function unescapeMrkdwn(escaped: string): string {
  return escaped.replace(/&(?:amp|lt|gt);/g, (entity) => characters[entity] ?? entity);
}
