import { z } from 'zod';
import {
  type Attachments,
  type FileKind,
  noAttachments,
  type Snippet,
  type UnsentFile,
} from '#jobs/requests/attachments.ts';
import { isBlank } from '#jobs/requests/command.ts';
import { displayText, stripLeadingMention } from '../protocol/slack-text.ts';
import { fieldsOf, listOf, mediaIn, plain, stringOf } from './blocks.ts';
import {
  filesIn,
  isMessage,
  type MessageContent,
  slackAttachmentsOf,
  textOf,
  unlessPlaceholder,
  wordless,
} from './said.ts';

const MAX_SNIPPETS = 10;
const MAX_NAMED = 20;

/** Includes files of forwarded messages. */
export function attachmentsIn(message: MessageContent): Attachments {
  const attached = slackAttachmentsOf(message.attachments, message.text ?? '');
  const built = attached.map((one) => (isMessage(one) ? [] : one.blocks));
  const pictures = [message.blocks, ...built]
    .flatMap(mediaIn)
    .map(({ kind, name }) => ({ kind, name: readableName(name) }));
  const found = mergeAttachments([
    ...[message.files, ...attached.map(filesIn)].map(filesOf),
    { snippets: [], others: [...attached.flatMap(wordless), ...pictures] },
  ]);
  if (found.snippets.length + found.others.length > 0 || !isWordless(message)) return found;
  return { ...noAttachments, others: [{ kind: 'attachment', name: null }] };
}

/** Slack shows nothing of these, or the same as in `text`. */
const WITHOUT_CONTENT: ReadonlySet<unknown> = new Set(['rich_text', 'divider', 'context_actions', 'actions']);

function isWordless(message: MessageContent) {
  const { text = '', blocks } = message;
  const isShown = listOf(blocks).some((block) => !WITHOUT_CONTENT.has(fieldsOf(block).type));
  return (isShown || unlessPlaceholder(text) !== text) && isBlank(stripLeadingMention(textOf(message), null));
}

export function mergeAttachments(all: readonly Attachments[]): Attachments {
  const snippets = all.flatMap((one) => one.snippets);
  return {
    snippets: snippets.slice(0, MAX_SNIPPETS),
    others: [...all.flatMap((one) => one.others), ...snippets.slice(MAX_SNIPPETS).map(asFile)],
  };
}

export function fitAttachments(attachments: Attachments, maxLength: number): Attachments {
  if (JSON.stringify(attachments).length <= maxLength) return attachments;
  const { snippets, others } = attachments;
  let length = 0;
  const fits = (one: unknown) => {
    length += JSON.stringify(one).length;
    return length <= maxLength;
  };
  const fitting = snippets.map(({ text: _text, ...snippet }) => snippet).filter(fits);
  const named = [...others, ...snippets.slice(fitting.length).map(asFile)].slice(0, MAX_NAMED);
  return {
    snippets: fitting,
    others: named.map((one) => (fits(one) ? one : { kind: one.kind, name: null })),
  };
}

function asFile({ name }: Snippet): UnsentFile {
  return { kind: 'file', name };
}

export function attachmentsInWords({ snippets, others }: Attachments): string {
  const words: Partial<Record<FileKind, string>> = {
    forwarded: 'forwarded message',
    attachment: 'attachment without text',
  };
  const named = others.map(({ kind, name }) => name ?? words[kind] ?? kind);
  return [...snippets.map(({ name }) => name), ...named].join(', ');
}

const NAME_MAX = 100;
/** Longer than any prompt, so that a long e-mail is refused as too long. */
const EMAIL_TEXT_MAX = 200_000;

const text = z.string().catch('');

/** Slack describes files of other workspaces, or deleted ones, with less. */
const file = z.object({
  id: text,
  file_access: text,
  mode: text,
  mimetype: text,
  filetype: text,
  name: text,
  title: text,
  size: z.number().nonnegative().optional().catch(undefined),
  url_private_download: z.string().optional().catch(undefined),
  url_private: z.string().optional().catch(undefined),
  subject: text,
  from: z.unknown().optional(),
  plain_text: text,
  attachments: z.unknown().optional(),
});
type File = z.infer<typeof file>;

function fileOf(given: unknown) {
  return file.safeParse(given).data ?? file.parse({});
}

function filesOf(given: unknown): Attachments {
  const all = listOf(given)
    .map(fileOf)
    .filter(({ mode }) => mode !== 'tombstone');
  const isSnippet = (one: File) => isText(one) || isUndescribed(one);
  return {
    snippets: all.filter(isSnippet).map(snippetOf),
    others: [
      ...all.filter((one) => !isSnippet(one)).map(unsentOf),
      ...all.filter(isEmail).flatMap(filesOfEmail),
    ],
  };
}

export function describedFile(given: unknown): Snippet | UnsentFile {
  const described = fileOf(given);
  return isText(described) ? snippetOf(described) : unsentOf(described);
}

function snippetOf(given: File): Snippet {
  if (isUndescribed(given)) return { name: 'attached file', url: null, fileId: given.id };
  const name = nameOf(given) ?? 'snippet';
  if (isEmail(given)) {
    // Slack serves HTML at an e-mail's URL.
    const text = emailText(given);
    return { name, url: null, ...(given.id && { fileId: given.id }), ...(text !== null && { text }) };
  }
  const url = given.url_private_download ?? given.url_private ?? null;
  return { name, url, ...(given.size !== undefined && { size: given.size }) };
}

function emailText({ subject, from, plain_text: body }: File) {
  if (isBlank(body)) return null;
  const senders = [from].flat().map((one) => {
    const { original, name, address } = fieldsOf(one);
    return (
      stringOf(one) || stringOf(original) || [stringOf(name), stringOf(address)].filter(Boolean).join(' ')
    );
  });
  const head = [
    ...(isBlank(subject) ? [] : [`Subject: ${subject.replace(/\s+/g, ' ')}`]),
    ...(senders.join('') === '' ? [] : [`From: ${senders.join(', ').replace(/\s+/g, ' ')}`]),
  ];
  return [...head, ...(head.length > 0 ? [''] : []), body.slice(0, EMAIL_TEXT_MAX).trim()].join('\n');
}

function filesOfEmail({ attachments }: File): UnsentFile[] {
  return listOf(attachments).map((one) => {
    const { filename, name, mimetype } = fieldsOf(one);
    return { kind: kindOf(stringOf(mimetype)), name: readableName(stringOf(filename) || stringOf(name)) };
  });
}

/** In channels shared with other workspaces, Slack only says that files exist. */
function isUndescribed({ id, file_access }: File) {
  return file_access === 'check_file_info' && id !== '';
}

function isEmail({ mode, filetype }: File) {
  return mode === 'email' || filetype === 'email';
}

/** Slack's types, and extensions. */
const TEXT_KINDS = new Set(
  (
    'text plain txt log md markdown mdx mkd rst adoc asciidoc asc org tex latex bib csv tsv json json5 jsonc jsonl ndjson ' +
    'geojson ipynb yaml yml toml ini cfg conf config properties env editorconfig gitignore dockerignore dockerfile ' +
    'makefile mk cmake gradle xml xsd xsl xslt html htm xhtml css scss sass less js javascript mjs cjs jsx ts mts cts tsx ' +
    'typescript vue svelte astro py python pyi rb ruby erb php java kt kts kotlin scala groovy go rust rs c cc cpp cxx h ' +
    'hh hpp csharp cs fsharp fs vb swift objc m mm dart lua perl pl pm r julia jl haskell hs ocaml ml elixir ex exs erlang ' +
    'erl clojure clj lisp scheme fortran pascal powershell ps1 shell sh bash zsh fish bat cmd sql graphql gql proto thrift ' +
    'hcl tf tfvars diff patch vcard vcf ics srt vtt po pot handlebars mustache jinja j2 liquid haml pug sol zig nim ' +
    'coffeescript verilog vhdl applescript actionscript boxnote mermaid mmd puml plantuml http rest feature lock mod sum har avsc bicep ' +
    'readme license licence notice changelog contributing authors codeowners'
  ).split(' '),
);
const NO_TEXT_KINDS = new Set(['rtf', 'svg', 'ps', 'eps', 'quip', 'canvas', 'list']);
const TEXT_MIME =
  /^(?:text\/|message\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|application\/(?:x-)?(?:json|ndjson|jsonlines|json5|yaml|toml|javascript|ecmascript|typescript|sh|shellscript|python|ruby|perl|php|httpd-php|sql|graphql|diff|patch|tex|latex|csv|markdown|plist|ipynb\+json)$)/i;

/** What agents take. */
const PICTURE = /\/(?:png|jpeg|gif|webp)$/;

/** MIME types say more. */
const UNSPECIFIC_KINDS = new Set(['text', 'plain', 'binary', '']);
const UNSPECIFIC_MIME = /^(?:application\/(?:octet-stream|x-empty)|)$/i;

/** Slack often knows only the extension, or nothing: any of the three may say "text". */
function isText(given: File) {
  const { mode, filetype, name } = given;
  if (mode === 'snippet' || isEmail(given)) return true;
  // The whole of `.env` and `Dockerfile`.
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const kinds = [filetype.toLowerCase(), ending];
  if (kinds.some((kind) => NO_TEXT_KINDS.has(kind))) return false;
  if (kinds.some((kind) => TEXT_KINDS.has(kind) && !UNSPECIFIC_KINDS.has(kind))) return true;
  const mimetype = given.mimetype.split(';', 1)[0]?.trim() ?? '';
  return UNSPECIFIC_MIME.test(mimetype) ? filetype === 'text' : TEXT_MIME.test(mimetype);
}

function unsentOf(given: File): UnsentFile {
  const kind = isEmail(given) ? 'file' : kindOf(given.mimetype);
  const picture = snippetOf(given);
  const isPicture = kind === 'image' && PICTURE.test(given.mimetype) && picture.url !== null;
  return { kind, name: nameOf(given), ...(isPicture && { picture }) };
}

function nameOf({ name, title, subject }: File) {
  return readableName(name || title || subject);
}

/** As Slack would deliver it in a message; null: nothing visible. */
function readableName(name: string) {
  const readable = displayText(name).replace(/\s+/g, ' ').slice(0, NAME_MAX).toWellFormed();
  return isBlank(readable) ? null : plain(readable);
}

function kindOf(mimetype: string): FileKind {
  const [kind] = mimetype.split('/', 1);
  if (kind === 'image' || kind === 'video') return kind;
  return kind === 'audio' ? 'sound' : 'file';
}
