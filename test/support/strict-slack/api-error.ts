/** What the Web API answers as `{"ok":false,"error":…}`. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: readonly string[];

  constructor(code: string, details: readonly string[] = []) {
    super([code, ...details].join('; '));
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
  }
}
