import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStrictWorld } from '../e2e/support/strict-world.ts';
import { general } from '../support/local-slack.ts';

const root = new URL('../../', import.meta.url);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('the workflow of docs/recipes.md starts the recipe of docs/recipes.md (T3)', async () => {
  const page = readFileSync(new URL('docs/recipes.md', root), 'utf8');
  const [, script = ''] = /<<'JS'\n(.*?)\n\s*JS\n/s.exec(page) ?? [];
  const [, recipe = ''] = /```yaml\n( {3}recipes:\n {5}- name: release-notes\n.*?)```/s.exec(page) ?? [];
  await using world = await startStrictWorld({
    configFile: recipe.replaceAll(/^ {3}/gm, '').replace('C0123456789', general),
    settings: { RELEASE_HOOK_SECRET: SECRET },
  });
  const sender = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: fileURLToPath(root),
    env: { SECRET, TAG: 'v2.1', NOTES: 'Fixed: a' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  sender.stdin.end(
    script.replace('https://docs-agent.example.com', `http://127.0.0.1:${world.service.port}`),
  );
  let said = '';
  sender.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(sender, 'exit');
  expect([code, said]).toEqual([0, expect.stringMatching(/^202 \{"draft":"[0-9a-f-]+"\}/)]);
  await world.seen(general, ({ text }) => text.includes('Document release "v2.1"'));
});
