import { newId, strictApp } from './ids.ts';
import type { Person } from './people.ts';

/** Of a snippet. */
const PREVIEW_LINES_MAX = 5;
const PREVIEW_MAX = 500;
const { teamId } = strictApp;

/** A file that a person sends along. */
export interface FileDraft {
  readonly name: string;
  readonly content: string | Buffer;
  /** `snippet`: text made in Slack, or a text file that Slack shows as such. Default: hosted */
  readonly mode?: 'snippet' | 'hosted';
  /** Default: the name */
  readonly title?: string;
  /** Default: text/plain */
  readonly mimetype?: string;
  /** As Slack names it. Default: text */
  readonly filetype?: string;
}

/** A file as Slack describes it. */
export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  readonly filetype: string;
  readonly mode: string;
  readonly size: number;
  readonly user: string;
  readonly url_private: string;
  readonly url_private_download: string;
  readonly preview?: string;
  readonly preview_is_truncated?: boolean;
  readonly [field: string]: unknown;
}

export interface StoredFile {
  readonly file: SlackFile;
  readonly content: Buffer;
}

/** What was sent along with messages. */
export class Files {
  readonly #baseUrl: string;
  readonly #files = new Map<string, StoredFile>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  find(id: string): StoredFile | undefined {
    return this.#files.get(id);
  }

  add(person: Person, draft: FileDraft, nowMs: number): SlackFile {
    const { name, title = name, mode = 'hosted', mimetype = 'text/plain', filetype = 'text' } = draft;
    const id = newId('F');
    const content = Buffer.from(draft.content);
    const path = `${this.#baseUrl}/files-pri/${teamId}-${id}`;
    const created = Math.floor(nowMs / 1000);
    const file = {
      id,
      created,
      timestamp: created,
      name,
      title,
      mimetype,
      filetype,
      user: person.id,
      user_team: person.teamId,
      mode,
      size: content.length,
      is_external: false,
      is_public: true,
      url_private: `${path}/${encodeURIComponent(name)}`,
      url_private_download: `${path}/download/${encodeURIComponent(name)}`,
      permalink: `https://strict.slack.com/files/${person.id}/${id}/${encodeURIComponent(name)}`,
      ...(mode === 'snippet' ? previewOf(content.toString()) : {}),
    };
    this.#files.set(id, { file, content });
    return file;
  }
}

function previewOf(text: string): Readonly<Record<string, unknown>> {
  const lines = text.split('\n');
  const preview = lines.slice(0, PREVIEW_LINES_MAX).join('\n').slice(0, PREVIEW_MAX);
  return {
    editable: true,
    preview,
    preview_is_truncated: preview.length < text.length,
    lines: lines.length,
    lines_more: Math.max(0, lines.length - PREVIEW_LINES_MAX),
  };
}
