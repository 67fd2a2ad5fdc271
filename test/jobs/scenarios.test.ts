import { describe, expect, test } from 'vitest';
import { readScenarios, replay } from './support/scenario.ts';

describe('a recorded thread goes as it went', () => {
  test.each(readScenarios())('$about', (scenario) => {
    expect(replay(scenario)).toEqual(scenario.expected);
  });
});
