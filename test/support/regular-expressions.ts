import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** A regular expression of the program, and where it stands: `src/jobs/x.ts:12`. */
export interface Found {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Every literal of the program, and in `built` the places that build one from a text, so that nobody can read it. */
export function regularExpressionsOf(root: string): { readonly literals: Found[]; readonly built: string[] } {
  const literals: Found[] = [];
  const built: string[] = [];
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    const text = readFileSync(`${root}/${file}`, 'utf8');
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, start = 0, regex, callee } = node as Partial<Node>;
      const where = `${file}:${text.slice(0, start).split('\n').length}`;
      if (type === 'Literal' && regex) literals.push({ where, ...regex });
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
        built.push(where);
      Object.values(node).forEach(visit);
    };
    visit(parseAst(text, { lang: 'ts' }));
  }
  return { literals, built };
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly regex: { readonly pattern: string; readonly flags: string };
  readonly callee: { readonly name?: string };
}
