import {
  type Attachments,
  type FileKind,
  noAttachments,
  type Snippet,
  type UnsentFile,
} from '#jobs/requests/attachments.ts';
import { isBlank } from '#jobs/requests/command.ts';
import { displayText, stripLeadingMention } from '../protocol/slack-text.ts';
import { type Fields, fieldsOf, listOf, mediaIn, plain, stringOf } from './blocks.ts';
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
  let left = maxLength;
  const fits = (one: unknown) => {
    const length = JSON.stringify(one).length;
    if (length > left) return false;
    left -= length;
    return true;
  };
  const addresses = snippets.map(({ text: _text, ...snippet }) => snippet);
  const fitting = addresses.filter(fits);
  const named = [...others, ...addresses.filter((one) => !fitting.includes(one)).map(asFile)];
  return {
    snippets: fitting,
    others: named.slice(0, MAX_NAMED).map((one) => {
      const { kind, name } = one;
      return [one, { kind, name }].find(fits) ?? { kind, name: null };
    }),
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

function filesOf(given: unknown): Attachments {
  const all = listOf(given)
    .map(fieldsOf)
    .filter(({ mode }) => mode !== 'tombstone');
  const isSnippet = (one: Fields) => isText(one) || isUndescribed(one);
  return {
    snippets: all.filter(isSnippet).map(snippetOf),
    others: [
      ...all.filter((one) => !isSnippet(one)).map(unsentOf),
      ...all.filter(isEmail).flatMap(filesOfEmail),
    ],
  };
}

export function describedFile(given: unknown): Snippet | UnsentFile {
  const described = fieldsOf(given);
  return isText(described) ? snippetOf(described) : unsentOf(described);
}

function snippetOf(file: Fields): Snippet {
  const fileId = stringOf(file.id);
  if (isUndescribed(file)) return { name: 'attached file', url: null, fileId };
  const name = nameOf(file) ?? 'snippet';
  if (isEmail(file)) {
    // Slack serves HTML at an e-mail's URL.
    const text = emailText(file);
    return { name, url: null, ...(fileId && { fileId }), ...(text !== null && { text }) };
  }
  const { url_private_download: download, url_private: address, size } = file;
  const url = stringOf(download) || stringOf(address) || null;
  return { name, url, ...(typeof size === 'number' && size >= 0 && { size }) };
}

function emailText(file: Fields) {
  const [subject, body] = [stringOf(file.subject), stringOf(file.plain_text)];
  if (isBlank(body)) return null;
  const senders = [file.from].flat().map((one) => {
    const { original, name, address } = fieldsOf(one);
    return (
      stringOf(one) || stringOf(original) || [stringOf(name), stringOf(address)].filter(Boolean).join(' ')
    );
  });
  const head = [
    !isBlank(subject) && `Subject: ${subject}`,
    senders.join('') !== '' && `From: ${senders.join(', ')}`,
  ].flatMap((line) => (line ? line.replace(/\s+/g, ' ') : []));
  return [...head, ...(head.length > 0 ? [''] : []), body.slice(0, EMAIL_TEXT_MAX).trim()].join('\n');
}

function filesOfEmail({ attachments }: Fields): UnsentFile[] {
  return listOf(attachments).map((one) => {
    const { filename, name, mimetype } = fieldsOf(one);
    return { kind: kindOf(mimetype), name: readableName(stringOf(filename) || stringOf(name)) };
  });
}

/** In channels shared with other workspaces, Slack only says that files exist. */
function isUndescribed({ id, file_access }: Fields) {
  return file_access === 'check_file_info' && stringOf(id) !== '';
}

function isEmail({ mode, filetype }: Fields) {
  return mode === 'email' || filetype === 'email';
}

/** Slack's types, and extensions. Of `text`, the MIME type says more. */
const TEXT_KINDS = new Set(
  (
    'txt log md markdown mdx mkd rst adoc asciidoc asc org tex latex bib csv tsv json json5 jsonc jsonl ndjson ' +
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
  /^(?:text\/|message\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|application\/(?:x-)?(?:json|ndjson|jsonlines|json5|yaml|toml|javascript|ecmascript|typescript|sh|shellscript|python|ruby|perl|php|httpd-php|sql|graphql|diff|patch|tex|latex|csv|markdown|plist)$)/i;

/** What agents take. */
const PICTURE = /\/(?:png|jpeg|gif|webp)$/;

const UNSPECIFIC_MIME = /^(?:application\/(?:octet-stream|x-empty)|)$/i;

/** Slack often knows only the extension, or nothing: any of the three may say "text". */
function isText(file: Fields) {
  if (file.mode === 'snippet' || isEmail(file)) return true;
  const [filetype, name] = [stringOf(file.filetype), stringOf(file.name)];
  // The whole of `.env` and `Dockerfile`.
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const kinds = [filetype.toLowerCase(), ending];
  if (kinds.some((kind) => NO_TEXT_KINDS.has(kind))) return false;
  if (kinds.some((kind) => TEXT_KINDS.has(kind))) return true;
  const mimetype = stringOf(file.mimetype).split(';', 1)[0]?.trim() ?? '';
  return UNSPECIFIC_MIME.test(mimetype) ? filetype === 'text' : TEXT_MIME.test(mimetype);
}

function unsentOf(file: Fields): UnsentFile {
  const kind = isEmail(file) ? 'file' : kindOf(file.mimetype);
  const picture = snippetOf(file);
  const isPicture = kind === 'image' && PICTURE.test(stringOf(file.mimetype)) && picture.url !== null;
  return { kind, name: nameOf(file), ...(isPicture && { picture }) };
}

function nameOf({ name, title, subject }: Fields) {
  return readableName(stringOf(name) || stringOf(title) || stringOf(subject));
}

/** As Slack would deliver it in a message; null: nothing visible. */
function readableName(name: string) {
  const readable = displayText(name).replace(/\s+/g, ' ').slice(0, NAME_MAX).toWellFormed();
  return isBlank(readable) ? null : plain(readable);
}

function kindOf(mimetype: unknown): FileKind {
  const [kind] = stringOf(mimetype).split('/', 1);
  if (kind === 'image' || kind === 'video') return kind;
  return kind === 'audio' ? 'sound' : 'file';
}
