import { z } from 'zod';
import type { Exchange } from '../fault-proxy/forward.ts';
import { ApiError } from './api-error.ts';
import type { Files } from './files.ts';
import { strictApp } from './ids.ts';
import { argument, type Method, method } from './method.ts';

const { botToken } = strictApp;

const info = method(z.strictObject({ file: argument.text }), ({ files }, { file: id }) => {
  const stored = files.find(id);
  if (stored === undefined) throw new ApiError('file_not_found');
  return { file: stored.file, comments: [] };
});

export const fileMethods: Readonly<Record<string, Method>> = { 'files.info': info };

/**
 * What is at the private address of a file, `/files-pri/<team>-<file>/…`. People who may not see it are redirected to the page to
 * sign in, which is no error to HTTP.
 */
export function download(files: Files, path: string, token: string | null): Exchange {
  if (token !== botToken) return { status: 302, headers: { location: '/signin' }, body: Buffer.alloc(0) };
  const id = /^[^-/]+-(?<id>[^/]+)\//.exec(path)?.groups?.id ?? '';
  const stored = files.find(id);
  if (stored === undefined) return page(404, 'There is no such file');
  const { file, content } = stored;
  const headers = { 'content-type': file.mimetype, 'content-length': String(content.length) };
  return { status: 200, headers, body: content };
}

export function signInPage(): Exchange {
  return page(200, 'Sign in to Strict');
}

function page(status: number, title: string): Exchange {
  const body = Buffer.from(`<!DOCTYPE html><html><head><title>${title}</title></head><body></body></html>`);
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
