import packageJson from '../../../package.json' with { type: 'json' };

/** In a module of its own, so that the bundle holds nothing else of package.json. */
export const { version } = packageJson;
