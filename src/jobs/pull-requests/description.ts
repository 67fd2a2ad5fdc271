/** The length of a quotation in a message. */
export const PARAGRAPH_MAX_LENGTH = 300;
const FENCE = /^(?:```|~~~)/;
/** Headings, list items, quotations, tables, rules, images and HTML: the parts of templates. */
const NO_PROSE = /^(?:#|[-*+] |[-*_=]{3}|\d{1,9}[.)] |>|\||!\[|<)/;

/**
 * The first paragraph of prose in a pull request's description (untrusted Markdown of some thousand
 * characters), on one line, without markup, at most `PARAGRAPH_MAX_LENGTH` characters; null if there is none.
 */
export function firstParagraph(markdown: string): string | null {
  const paragraph: string[] = [];
  let isInFence = false;
  for (const line of withoutComments(markdown).split('\n')) {
    const text = line.trim();
    const isFence = FENCE.test(text);
    if (isFence) isInFence = !isInFence;
    const isProse = text !== '' && !isFence && !isInFence && !NO_PROSE.test(text);
    if (isProse) paragraph.push(text);
    else if (paragraph.length > 0) break;
  }
  const text = withoutMarkup(paragraph.join(' ')).trim();
  return text === '' ? null : shortened(text);
}

function withoutComments(markdown: string): string {
  return markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
}

function withoutMarkup(text: string): string {
  return text
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ');
}

function shortened(text: string): string {
  if (text.length <= PARAGRAPH_MAX_LENGTH) return text;
  const cut = text.slice(0, PARAGRAPH_MAX_LENGTH - 1).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), PARAGRAPH_MAX_LENGTH / 2)).trimEnd()}…`;
}
