import { describe, expect, test } from 'vitest';
import { type Projects, parseProjectPrefix } from '../../../src/jobs/requests/command.ts';

const projects: Projects = [
  { id: 'p-1', name: 'docs', noticeChannels: [] },
  { id: 'p-2', name: 'handbook', noticeChannels: [] },
];
const [docs] = projects;
const read = (text: string) => {
  const to = parseProjectPrefix(text, projects, docs);
  return to.unknownProject === null
    ? [to.project.name, to.prompt]
    : { ...to.unknownProject, prompt: to.prompt };
};

describe('project=name at the start of a prompt', () => {
  test.each([
    ['project=handbook fix the typos', 'handbook', 'fix the typos'],
    ['  Project=HANDBOOK\n\nfix the typos ', 'handbook', 'fix the typos'],
    ['project=p-2 fix', 'handbook', 'fix'],
    ['project=<http://handbook|handbook> fix', 'handbook', 'fix'],
    ['project=handbook', 'handbook', ''],
    ['fix project=handbook', 'docs', 'fix project=handbook'],
    ['projects=handbook fix', 'docs', 'projects=handbook fix'],
    ['project = handbook', 'docs', 'project = handbook'],
  ])('%j goes to %s as %j', (text, project, prompt) => {
    expect(read(text)).toEqual([project, prompt]);
  });

  test.each([
    ['project=dosc fix', 'dosc', ['docs', 'handbook']],
    ['project=handbok fix', 'handbok', ['handbook', 'docs']],
    ['project= fix', '', ['docs', 'handbook']],
  ])('%j names a project that is not there, so the nearest comes first', (text, name, names) => {
    const projects = names.map((one) => expect.objectContaining({ name: one }));
    expect(read(text)).toMatchObject({ kind: 'unknown_project', name, projects, prompt: 'fix' });
  });
});

describe('two dashes make a prompt of anything', () => {
  test.each([
    ['-- help', 'help'],
    ['--   list', 'list'],
    ['--\nstatus 42', 'status 42'],
    ['-- -- help', '-- help'],
    ['-- project=dosc fix', 'project=dosc fix'],
    ['--', ''],
    ['--help', '--help'],
  ])('%j asks for %j', (text, prompt) => {
    expect(read(text)).toEqual(['docs', prompt]);
  });
});
