import type { Clock } from '../../src/runtime/clock.ts';
import { DemoLife } from './demo-life.ts';
import type { GitRepository } from './git-repository.ts';
import type { StandInPullRequest } from './pull-request.ts';

/** Whose page it is that people read: the demo's visitor. */
const VISITOR = 'alice';
const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 24px auto; padding: 0 16px; color: #1f2328 }
h1 { font-size: 24px; font-weight: 500; margin: 0 } h1 small { color: #59636e } p.by { color: #59636e }
.state { color: #fff; background: #1f883d; border-radius: 16px; padding: 4px 12px; margin-right: 8px }
.merged { background: #8250df } .closed { background: #cf222e }
.body, .file, .merge { border: 1px solid #d1d9e0; border-radius: 6px; margin: 16px 0; overflow: auto }
.body { white-space: pre-wrap; padding: 12px } .merge { padding: 12px; display: flex; gap: 12px; align-items: center }
.file h2 { font: 600 13px ui-monospace, monospace; margin: 0; padding: 8px 12px; background: #f6f8fa }
pre { margin: 0; font: 12px/1.6 ui-monospace, monospace } pre span { display: block; padding: 0 12px; min-height: 1.6em; white-space: pre-wrap }
.add { background: #dafbe1 } .del { background: #ffebe9 } .at { background: #ddf4ff; color: #59636e }
button { background: #1f883d; color: #fff; border: 0; border-radius: 6px; padding: 8px 16px; font: inherit; cursor: pointer }`;
const LINES: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'at' };

/** The git repositories behind pull requests: their branches are what the pull requests change, and where they go. */
export class GitPulls {
  readonly #repositories: ReadonlyMap<string, GitRepository>;
  readonly #life: DemoLife;
  #last: Promise<unknown> = Promise.resolve();

  /** @param repositories by their names. Only those named acme/… have somebody who reviews and merges. */
  constructor(repositories: ReadonlyMap<string, GitRepository>, clock: Clock) {
    this.#repositories = repositories;
    this.#life = new DemoLife(clock, (pull, by) => this.merge(pull, by));
  }

  /** Notes what was pushed to the branches of these. */
  refresh(pulls: readonly StandInPullRequest[]): Promise<void> {
    const refreshed = this.#last.then(async () => {
      for (const pull of pulls) await this.#refresh(pull);
    });
    this.#last = refreshed.catch(() => {});
    return refreshed;
  }

  async #refresh(pull: StandInPullRequest): Promise<void> {
    const repository = this.#repositories.get(pull.repository);
    if (repository === undefined || pull.ended !== null) return;
    const { base, head } = pull;
    const tip = await repository.tip(head);
    if (tip === pull.commit) return;
    pull.push(tip, await repository.size(base, head));
    if (pull.repository.startsWith('acme/'))
      this.#life.changed(pull, await repository.git('log', '-1', '--format=%s', tip));
  }

  async merge(pull: StandInPullRequest, by = VISITOR): Promise<void> {
    if (pull.ended !== null) return;
    const { base, head, title, number } = pull;
    await this.#repositories.get(pull.repository)?.merge(base, head, `${title} (#${number})`);
    pull.merge(by);
  }

  /** The page of a pull request. Who reads it decides what becomes of it: nobody else merges it from then on. */
  async page(pull: StandInPullRequest): Promise<string> {
    this.#life.leaveToReader(pull);
    const { base, head, title, number, ended, size, description, checks, reviews, by } = pull;
    const git = (...args: readonly string[]) => this.#repositories.get(pull.repository)?.git(...args) ?? '';
    const commits = (await git('log', '--reverse', '--format=%h %s', `${base}..${pull.commit}`))
      .trim()
      .split('\n');
    const diff = await git('diff', '--no-renames', `${base}...${pull.commit}`);
    const state = ended?.as ?? 'open';
    const facts = [
      ...checks.map(({ name, conclusion }) => `${name}: ${conclusion ?? 'running'}`),
      ...reviews.map((review) => `${review.by}: ${review.state.toLowerCase()}`),
    ];
    const button = `<form method="post" action="${number}/merge"><button>Merge pull request</button></form>`;
    const end = ended === null ? button : `${state} by ${ended.by}`;
    return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)} · ${pull.repository}#${number}</title><style>${STYLE}</style>
<h1>${escaped(title)} <small>#${number}</small></h1>
<p class="by"><span class="state ${state}">${state}</span> ${by} wants to merge ${commits.length} ${
      commits.length === 1 ? 'commit' : 'commits'
    } into <code>${escaped(base)}</code> from <code>${escaped(head)}</code></p>
<div class="body">${escaped(description)}</div>
<div class="body">${commits.map(escaped).join('\n')}</div>
<div class="merge">${end} <span>${escaped(facts.join(' · '))}</span></div>
<p class="by">${size.files} changed, <b>+${size.added} −${size.removed}</b></p>
${diff
  .split(/^diff --git /m)
  .slice(1)
  .map(file)
  .join('\n')}`;
  }
}

/** @param diff of one file, behind `diff --git ` */
function file(diff: string): string {
  const [, path = ''] = /^a\/.* b\/(.*)$/m.exec(diff) ?? [];
  const start = diff.indexOf('\n@@');
  const lines =
    start < 0
      ? []
      : diff
          .slice(start + 1)
          .trimEnd()
          .split('\n');
  const shown = lines.map((line) => `<span class="${LINES[line[0] ?? ''] ?? ''}">${escaped(line)}</span>`);
  return `<div class="file"><h2>${escaped(path)}</h2><pre>${shown.join('')}</pre></div>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
