import { posix } from 'node:path';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** What the demo's agent makes of a request. Without edits, its words are an answer. */
export interface Work {
  readonly edits: readonly Page[];
  readonly words: string;
}

const POLITE = /^(?:(?:and|also|can|could|now|please|should|then|we|you)\b[\s,]*)+/i;
const REQUEST =
  /^(?<verb>add|check|cover|create|describe|document|explain|fix|include|mention|name|note|say|update|write)\b\s*(?:(?<article>an?|the|how to|how|that|why)\s+)?(?<topic>.+)$/i;
const QUESTION = /\?$|^(?:are|can|do|does|how|is|what|when|where|which|who|why)\b/i;
const REPLACE = /^(?:change|rename|replace)\s+(?<from>.+?)\s+(?:by|to|with)\s+(?<to>.+)$/i;
/** As *Ask for a fix* and *Send the review* word them. */
const CHECK = /^The check “([^”]+)” fails/;
const REVIEW = /^\S+ requested changes on /;
const QUOTES = /^["“'`]|["”'`]$/g;
const TYPOS: readonly (readonly [string, string])[] = [
  ['reciever', 'receiver'],
  ["of it's own", 'of its own'],
  ['seperate', 'separate'],
];
const COMMON = new Set(
  'about also and are docs find for from have how page that the them they this what when where which who why with'.split(
    ' ',
  ),
);
const FACTS = 3;

/** @param current the page that the job's earlier turns have changed; null: none */
export function workOn(request: string, pages: readonly Page[], current: string | null): Work {
  const [asked = ''] = request.trim().split('\n');
  const open = pages.find(({ path }) => path === current);
  const [, check] = CHECK.exec(asked) ?? [];
  if (open !== undefined && check !== undefined)
    return done(
      [withNote(open, `correct again, says ${check}`, [])],
      `I fixed what the check “${check}” found`,
    );
  const comments = REVIEW.test(asked)
    ? [...request.matchAll(/^> (.*\S)/gm)].map(([, text = '']) => text)
    : [];
  if (open !== undefined && comments.length > 0) {
    const after = comments.reduce((page, text) => withNote(page, text.replace(/[.!?]+$/, ''), pages), open);
    return done([after], `I answered ${comments.length} comments of the review`);
  }
  const line = asked.replace(POLITE, '').replace(/^\w+:\s*/, '');
  const { verb = '', article = '', topic = line } = REQUEST.exec(line)?.groups ?? {};
  if (verb === '' && QUESTION.test(line)) return answer(line, pages);
  const subject = topic.replace(/(?:[\s,]+(?:as well|too|please))*[\s.!?]*$/i, '');
  const named = `${article} ${subject}`.trim();
  const { from, to = '' } = REPLACE.exec(line.replace(/[.!]$/, ''))?.groups ?? {};
  if (from !== undefined) {
    const [before, after] = [from.replace(QUOTES, ''), to.replace(QUOTES, '')];
    const edits = replaced(pages, [[before, after]]);
    if (edits.length > 0) return done(edits, `I put “${after}” in place of “${before}”`);
  }
  if (/\b(?:spelling|typos?)\b/i.test(subject)) {
    const edits = replaced(pages, TYPOS);
    return edits.length > 0
      ? done(edits, 'I corrected the spelling')
      : { edits, words: 'I found no typing errors.' };
  }
  if (open !== undefined) return done([withNote(open, subject, pages)], `I mentioned ${named}`);
  const [found] = bestPages(subject, pages);
  if (found === undefined && /^(?:check|fix|update)$/i.test(verb))
    return { edits: [], words: `I read ${pages.length} pages, and found nothing to change.` };
  const best = found ?? pages[0];
  if (best === undefined || (/^an?$/i.test(article) && /^(?:add|create|write)$/i.test(verb)))
    return done(newPage(subject, pages), 'I put together what the docs say about it');
  return done([withSection(best, line, subject, pages)], `I explained ${named}`);
}

function done(edits: readonly Page[], what: string): Work {
  return { edits, words: `${what} in ${edits.map(({ path }) => `\`${path}\``).join(' and ')}.` };
}

function answer(question: string, pages: readonly Page[]): Work {
  const [page] = bestPages(question, pages);
  const [fact] = page === undefined ? [] : facts(question, [page]);
  if (page === undefined || fact === undefined)
    return { edits: [], words: 'The docs say nothing about that. Ask me to add it.' };
  return { edits: [], words: `${fact.sentence} (From \`${page.path}\`.)` };
}

function replaced(pages: readonly Page[], pairs: readonly (readonly [string, string])[]): Page[] {
  return pages.flatMap(({ path, text }) => {
    const after = pairs.reduce((whole, [from, to]) => whole.replaceAll(from, to), text);
    return after === text ? [] : [{ path, text: after }];
  });
}

function withNote(page: Page, subject: string, pages: readonly Page[]): Page {
  const [fact] = facts(
    subject,
    pages.filter(({ path }) => path !== page.path),
  );
  const more = fact === undefined ? '' : `: ${fact.sentence} See ${link(page.path, fact.page)}`;
  return {
    ...page,
    text: `${page.text.trimEnd()}\n\n> **${capital(subject)}**${more}.\n`.replace('..', '.'),
  };
}

function withSection(page: Page, line: string, subject: string, pages: readonly Page[]): Page {
  const known = facts(subject, pages).slice(0, FACTS);
  const list = known.map(({ sentence, page: source }) => `- ${sentence} (${link(page.path, source)})`);
  const body = list.length > 0 ? list : [`To be written: ${line}.`];
  return { ...page, text: `${page.text.trimEnd()}\n\n## ${capital(subject)}\n\n${body.join('\n')}\n` };
}

/** The new page, in steps made of the pages with commands, and the index with a link to it. */
function newPage(subject: string, pages: readonly Page[]): Page[] {
  const index = pages.find(({ path }) => path.endsWith('index.md')) ?? pages[0];
  const folder = posix.dirname(index?.path ?? '');
  const slug = subject
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join('-')
    .slice(0, 40);
  const path = posix.join(folder, `${slug ?? 'page'}.md`);
  const order = (page: Page) => (index?.text ?? '').indexOf(`(${posix.relative(folder, page.path)})`);
  const listed = pages.filter((page) => order(page) >= 0).sort((a, b) => order(a) - order(b));
  const sources = [...new Set([...bestPages(subject, listed), ...listed])].slice(0, FACTS);
  const steps = sources.map((source, number) => {
    const [command = ''] = /^```sh\n[\s\S]*?^```\n/m.exec(source.text) ?? [];
    const [sentence = ''] = sentencesOf(source);
    return `## ${number + 1}. ${titleOf(source)}\n\n${sentence}\n\n${command}\nMore: ${link(path, source)}\n`;
  });
  const text = [`# ${capital(subject)}\n`, 'In a few minutes, from nothing to a result.\n', ...steps].join(
    '\n',
  );
  const page = { path, text: text.replace(/\n{3,}/g, '\n\n') };
  if (index === undefined) return [page];
  const item = `- ${link(index.path, page)}`;
  const linked = index.text.includes('\n- ')
    ? index.text.replace('\n- ', `\n${item}\n- `)
    : `${index.text.trimEnd()}\n\n${item}\n`;
  return [page, { ...index, text: linked }];
}

function facts(subject: string, pages: readonly Page[]) {
  const words = keywords(subject);
  return bestPages(subject, pages)
    .flatMap((page) => sentencesOf(page).map((sentence) => ({ page, sentence, hits: hits(words, sentence) })))
    .filter((fact) => fact.hits > 0)
    .sort((a, b) => b.hits - a.hits);
}

/** Those that say something about the subject, the best first. */
function bestPages(subject: string, pages: readonly Page[]): Page[] {
  const words = keywords(subject);
  return pages
    .map((page) => ({ page, score: 5 * hits(words, titleOf(page)) + hits(words, page.text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ page }) => page);
}

function keywords(subject: string): string[] {
  const words =
    subject
      .toLowerCase()
      .replace(/release/, 'changelog')
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(?:ies|s)$/, ''));
}

function hits(words: readonly string[], text: string): number {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word)).length;
}

function titleOf({ path, text }: Page): string {
  return /^#+ (.+)$/m.exec(text)?.[1] ?? posix.basename(path, '.md');
}

/** Of its prose: no headings, lists, tables and code. */
function sentencesOf({ text }: Page): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').split('\n');
  return prose
    .filter((line) => /^[\p{L}`]/u.test(line))
    .flatMap((line) => line.split(/(?<=[.!?]) (?=\p{Lu})/u));
}

function link(from: string, page: Page): string {
  return `[${titleOf(page)}](${posix.relative(posix.dirname(from), page.path)})`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
