import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { lookingAtGithub, TOKEN } from '../features/pull-requests/hosts.ts';

const description = JSON.parse(
  readFileSync(new URL('../support/code-host-schemas/github.json', import.meta.url), 'utf8'),
  // Newer descriptions say it so, and Ajv understands these.
  (_name, value) => {
    if (value?.nullable !== true) return value;
    const { nullable: _nullable, ...schema } = value;
    return { anyOf: [schema, { type: 'null' }] };
  },
);
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: 'github', components: description.components });

/** What is wrong with an answer to this path, by GitHub's description. */
function problemsOf(path: string, answer: unknown): unknown {
  const [shape, schema] =
    Object.entries(description.answers).find(([described]) => patternOf(described).test(`GET ${path}`)) ?? [];
  if (shape === undefined) return `GitHub describes nothing at ${path}`;
  const text = JSON.stringify(schema).replaceAll('"#/components', '"github#/components');
  const validate = ajv.compile(JSON.parse(text));
  return validate(answer) ? [] : validate.errors;
}

function patternOf(described: string): RegExp {
  return new RegExp(`^${described.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`);
}

test('the stand-in answers all that the program asks as GitHub says that it does', async () => {
  await using at = await lookingAtGithub();
  const { pull } = at;
  pull.check('build', 'success');
  pull.check('links', null);
  pull.status('netlify', 'success');
  pull.review('alice', 'APPROVED');
  pull.comment('alice', 'Looks good');
  pull.deploy('https://docs-1.vercel.app/', { state: 'failure' });
  const answers = async () => {
    for (const { path } of [...at.host.requests]) {
      const response = await fetch(`${at.host.webUrl}${path}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const asked = path.replace('/api/v3', '').replace(/\?.*/, '');
      expect([asked, problemsOf(asked, await response.json())]).toEqual([asked, []]);
    }
  };
  await at.facts();
  await answers();
  at.host.withhold('Checks');
  await at.facts();
  at.host.withhold('Checks', false);
  pull.merge('alice');
  await at.facts();
  await answers();
  pull.reopen();
  pull.close('alice');
  await at.facts();
  await answers();
  const asked = new Set(at.host.requests.map(({ path }) => path.replace(/\?.*/, '').split('/').at(-1)));
  expect(asked).toEqual(
    new Set(['1', 'files', 'check-runs', 'status', 'runs', 'reviews', 'deployments', 'statuses', 'comments']),
  );
});
