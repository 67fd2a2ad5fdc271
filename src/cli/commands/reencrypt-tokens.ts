import { parseArgs } from 'node:util';
import { parseConfig } from '../../app/config/config.ts';
import { StartError } from '../../app/service/workspaces.ts';
import { resealAll, unreadableTokens, Vault } from '../../slack/install/vault.ts';
import { openStore } from '../../store/open.ts';
import type { Host } from '../command.ts';

/** `docs-agent reencrypt-tokens`: afterwards, only the first key of TOKEN_ENCRYPTION_KEY is needed. */
export async function reencryptTokens(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const config = parseConfig(env);
  const { installing } = config.slack;
  if (installing.kind !== 'oauth') {
    throw new StartError('There are no tokens to encrypt: the settings name one bot token, SLACK_BOT_TOKEN.');
  }
  const vault = new Vault(installing.encryptionKeys);
  const store = await openStore(config.store);
  try {
    const { resealed, installations, unreadable } = await resealAll(store, vault);
    const byKey = Map.groupBy(installations, ({ token }) => token.keyId);
    const inUse = [...byKey].map(([id, tokens]) => `${id} (${tokens.length})`).join(', ');
    console.log(
      `Encrypted the tokens of ${resealed} installation${resealed === 1 ? '' : 's'} with the key ${vault.keyId}. ` +
        `Keys in use: ${inUse === '' ? 'none, as nothing is installed' : inUse}.`,
    );
    if (unreadable.length > 0) throw new StartError(unreadableTokens(unreadable));
    return 0;
  } finally {
    await store.close();
  }
}
