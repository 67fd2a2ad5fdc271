import type { Operation } from './fault.ts';

export interface Route {
  readonly operation: Operation;
  readonly projectId: string;
  /** Empty for `create`. */
  readonly jobId: string;
}

const routes: readonly { operation: Operation; method: string; pattern: RegExp }[] = [
  { operation: 'create', method: 'POST', pattern: /^\/v2\/agent\/([^/?]+)\/job$/ },
  { operation: 'message', method: 'POST', pattern: /^\/v2\/agent\/([^/?]+)\/job\/([^/?]+)\/message$/ },
  { operation: 'cancel', method: 'POST', pattern: /^\/v2\/agent\/([^/?]+)\/job\/([^/?]+)\/cancel$/ },
  { operation: 'get', method: 'GET', pattern: /^\/v2\/agent\/([^/?]+)\/job\/([^/?]+)$/ },
];

export function findRoute(method: string, path: string): Route | null {
  for (const { operation, method: wanted, pattern } of routes) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { operation, projectId: decode(match[1] ?? ''), jobId: decode(match[2] ?? '') };
  }
  return null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
