import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const lockFile = new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
);
const inProduction = locked.filter(([, { dev }]) => dev !== true);

describe('the lock file', () => {
  test('holds a hash of every package that is installed in production', () => {
    expect(inProduction.length).toBeGreaterThan(100);
    expect(inProduction.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  });

  test('leaves out hashes only of development tools for other platforms', () => {
    const unhashed = locked.filter(([, { integrity }]) => integrity === undefined);
    expect(unhashed.filter(([, { dev, optional }]) => dev !== true || optional !== true)).toEqual([]);
    expect(unhashed.map(([path]) => path).filter((path) => /linux-x64-gnu|linux-x64$/.test(path))).toEqual(
      [],
    );
  });

  test('installs no package in production that runs a script', () => {
    expect(inProduction.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});
