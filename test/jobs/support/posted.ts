import { announcementView } from '../../slack/views/support/thread.ts';
import type { World } from './world.ts';

const ENDS = /\*(?:Pull request ready|Another pull request|Updated|Done, no pull request|Failed|Archived)/;

/** All messages that say how a turn ended, or that a pull request is there: their first lines, with what it took. */
export function endsIn({ calls }: World): string[] {
  return calls.flatMap(({ request, job }) => {
    if (request.kind !== 'announce') return [];
    const { text } = announcementView(request.announcement, job, new Map());
    const [first = '', ...rest] = text.split('\n');
    const facts = rest.flatMap((line) => line.split(' · ')).filter((fact) => /^took | included$/.test(fact));
    return ENDS.test(first) ? [[first, ...facts].join(' · ')] : [];
  });
}
