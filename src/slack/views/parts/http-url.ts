import { BUTTON_URL_MAX } from './limits.ts';

/**
 * The address in its normal form if it is an http(s) URL that may become a link, else null. It has no
 * credentials (they would leak, or pass for the host), no white space, `<`, `>` or `|`, and fits a button.
 */
export function httpUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  const href = url.href.replaceAll('|', '%7C');
  return href.length <= BUTTON_URL_MAX ? href : null;
}
