import { hasSecrets, withoutSecrets } from '#jobs/secrets.ts';

/** JSON may carry NULs and lone surrogates, which Postgres refuses. */
export function storable(value: string): string {
  return value.toWellFormed().replaceAll('\0', '');
}

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** Untrusted text without secrets, safe to store and show. */
export function untrustedText(value: string, maxLength: number): string {
  return withoutSecrets(storable(value)).trim().slice(0, maxLength).replace(HALF_CHARACTER, '');
}

/**
 * Like `untrustedText`, for a URL. Removes user info, and a query or fragment with a secret; the rest may still
 * be a link. A secret elsewhere breaks the link.
 */
export function untrustedUrl(value: string, maxLength: number): string {
  const text = storable(value).trim();
  const url = text.length <= maxLength ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return untrustedText(text, maxLength);
  const { href } = url;
  url.username = '';
  url.password = '';
  if (hasSecrets(url.search)) url.search = '';
  if (hasSecrets(url.hash)) url.hash = '';
  return untrustedText(url.href === href ? text : url.href, maxLength);
}
