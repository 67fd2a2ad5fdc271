import { hasSecrets, withoutSecrets } from '../../jobs/secrets.ts';

/** JSON may carry NULs and lone surrogates, which Postgres refuses to store. */
export function storable(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

/** At most `maxLength` UTF-16 units, without half a character at the end. */
function cut(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  const half = /[\uD800-\uDBFF]$/;
  return value.slice(0, maxLength).replace(half, '');
}

/** Untrusted text that may be stored and shown: without secrets, and at most `maxLength` long. */
export function foreignText(value: string, maxLength: number): string {
  return cut(withoutSecrets(storable(value)).trim(), maxLength);
}

/**
 * As `foreignText`, for a URL. It leads to the same place without its user info, and without a query or
 * fragment that holds a secret: these are removed, so that it may still be a link. With a secret anywhere
 * else, it leads nowhere.
 */
export function foreignAddress(value: string, maxLength: number): string {
  const text = storable(value).trim();
  const url = text.length <= maxLength ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return foreignText(text, maxLength);
  const { href } = url;
  url.username = '';
  url.password = '';
  if (hasSecrets(url.search)) url.search = '';
  if (hasSecrets(url.hash)) url.hash = '';
  return foreignText(url.href === href ? text : url.href, maxLength);
}
