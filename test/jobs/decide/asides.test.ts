import { describe, expect, test } from 'vitest';
import { aReply, failures, HOUR_MS, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated, anEndedJob, aWorkingJob } from '../support/stages.ts';
import type { World } from '../support/world.ts';

function edit(world: World, messageTs: string, text: string, editedTs = '9.000001'): void {
  world.apply({ type: 'reply_edited', reply: aReply({ messageTs, text, editedTs }) });
}

function goesOut(world: World): readonly string[] {
  world.advance(10 * SECOND_MS);
  return world.messages;
}

describe('an aside (F4)', () => {
  test.each(['aside: lunch?', 'Aside lunch?', 'ASIDE\nlunch?', ' aside, lunch?', 'aside'])(
    'is kept out: %j',
    (text) => {
      const world = aWorkingJob();
      world.reply(text);
      expect(goesOut(world)).toEqual([]);
      expect(world.states).toEqual(['aside']);
      expect(world.news).not.toContain('muted by U2');
      expect(JSON.stringify([...world.followUps.values()])).not.toContain('lunch');
    },
  );

  test.each(['Put it aside', 'asides are fine', 'aside-bar: no', 'Aside from the table, go on'])(
    'is none: %j',
    (text) => {
      const world = aWorkingJob();
      world.reply(text);
      expect(goesOut(world)).toEqual([text]);
    },
  );

  test('goes out when its author makes a reply of it, in its place in the order', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('aside: shorter');
    world.reply('second');
    edit(world, messageTs, 'shorter');
    expect(goesOut(world)).toEqual(['shorter\n\nsecond']);
  });

  test('that is edited and still one stays out', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('aside: lnch');
    edit(world, messageTs, 'aside: lunch');
    expect(goesOut(world)).toEqual([]);
  });

  test('can be made of a reply that waits, was refused, or is on its way and has to go again', () => {
    const world = aWorkingJob();
    edit(world, world.reply('waits'), 'aside: waits');
    edit(world, world.reply('x'.repeat(20_001)), 'aside: refused');
    const messageTs = world.reply('on its way');
    world.advance(4 * SECOND_MS);
    edit(world, messageTs, 'aside: on its way');
    world.messageFails(failures.rateLimited);
    world.advance(HOUR_MS);
    expect(world.messages).toEqual(['on its way']);
    expect(world.states).toEqual(['aside', 'aside', 'aside']);
  });
});

const sendAnyway = (world: World, messageTs: string) =>
  world.apply({ type: 'send_anyway_pressed', messageTs });

describe('what was probably not meant for the agent', () => {
  const lives = [
    ['before the job exists', aJobBeingCreated],
    ['while the agent works', aWorkingJob],
    ['after an end', anEndedJob],
  ] as const;
  const cases = [
    ['Please stop it now!', 'stop'],
    ['cancel', 'stop'],
    ['is it done?', 'progress'],
    ['status', 'status'],
    ['status 142', 'status'],
    ['details', 'details'],
    ['my jobs', 'list'],
    ['what can you do?', 'help'],
    ['Vielen Dank, super!', 'small_talk'],
  ] as const;

  test.each(lives.flatMap(([when, aJob]) => cases.map((one) => [...one, when, aJob] as const)))(
    '%j stays between people until its author says otherwise (%s, %s)',
    (text, kind, _when, aJob) => {
      const world = aJob();
      const before = world.ephemerals.length;
      const messageTs = world.reply(text);
      expect(world.ephemerals.slice(before)).toEqual([`U2: ${kind}`]);
      expect(world.states).toEqual(['aside']);
      expect(goesOut(world)).toEqual([]);
      sendAnyway(world, messageTs);
      sendAnyway(world, messageTs);
      expect(world.states).toEqual(['waiting']);
    },
  );

  test('goes out when its author presses, once, like any reply', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('stop');
    sendAnyway(world, messageTs);
    expect(goesOut(world)).toEqual(['stop']);
    sendAnyway(world, messageTs);
    expect(goesOut(world)).toEqual(['stop']);
  });

  test('is what a waiting reply becomes by an edit, and no longer is by another one', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('Shorter, please');
    edit(world, messageTs, 'never mind');
    expect(goesOut(world)).toEqual([]);
    edit(world, messageTs, 'never mind, but mention the beta', '9.000002');
    expect(goesOut(world)).toEqual(['never mind, but mention the beta']);
  });

  test('is no reply with a file: that is meant', () => {
    const world = aWorkingJob();
    const attachments = { snippets: [], others: [{ kind: 'image', name: null }] } as const;
    const reply = aReply({ messageTs: '8.000001', text: 'ok', attachments });
    world.apply({ type: 'reply_received', reply });
    expect(goesOut(world)).toEqual(['ok']);
  });

  test('is no reply that says more', () => {
    const world = aWorkingJob();
    world.reply('Stop mentioning the beta');
    world.reply('stop the page from loading twice');
    expect(world.ephemerals).toEqual([]);
  });

  test('is a reply to a colleague: an aside, whose words are not kept; one that mentions the bot is for it', () => {
    const world = aWorkingJob();
    world.reply('<@U9> lunch?');
    expect(world.states).toEqual(['aside']);
    expect(world.ephemerals).toEqual([]);
    expect(JSON.stringify([...world.followUps.values()])).not.toContain('lunch');
    world.reply('<@U9> is the author', { mentionsBot: true });
    expect(goesOut(world)).toEqual(['<@U9> is the author']);
  });
});

test('*Mute updates* mutes the thread, once', () => {
  const world = aWorkingJob();
  for (const userId of ['U2', 'U3']) world.apply({ type: 'mute_pressed', userId });
  expect(world.job.muted).toBe(true);
  expect(world.news.filter((news) => news.startsWith('muted'))).toEqual(['muted by U2']);
});

describe('a muted thread (F4)', () => {
  test('keeps replies to itself until it is unmuted; the thread shows who muted it', () => {
    const world = aWorkingJob();
    world.reply('Mute');
    expect(world.job.muted).toBe(true);
    world.reply('Shall we have lunch?');
    world.reply(' unmute ');
    expect(world.job.muted).toBe(false);
    world.reply('Shorter, please');
    expect(goesOut(world)).toEqual(['Shorter, please']);
    expect(world.news.slice(-2)).toEqual(['muted by U2', 'unmuted by U2']);
    expect(world.states).toEqual(['excluded', 'muted', 'excluded', 'sending']);
    expect(JSON.stringify([...world.followUps.values()])).not.toContain('lunch');
  });

  test('lets a mention through', () => {
    const world = aWorkingJob();
    world.reply('mute');
    world.reply('Shorter, please', { mentionsBot: true });
    expect(goesOut(world)).toEqual(['Shorter, please']);
  });

  test('still sends what was written before', () => {
    const world = aWorkingJob();
    world.reply('Shorter, please');
    world.reply('mute');
    expect(goesOut(world)).toEqual(['Shorter, please']);
  });

  test('does not send what was written meanwhile when it is edited later', () => {
    const world = aWorkingJob();
    world.reply('mute');
    const messageTs = world.reply('Shall we have lnch?');
    const aside = world.reply('aside: lunch');
    edit(world, aside, 'lunch');
    world.reply('unmute');
    edit(world, messageTs, 'Shall we have lunch?');
    expect(goesOut(world)).toEqual([]);
    expect(world.states).toEqual(['excluded', 'muted', 'muted', 'excluded']);
  });

  test('sends what was written meanwhile when it is edited into a mention', () => {
    const world = aWorkingJob();
    world.reply('mute');
    const messageTs = world.reply('Shorter, please');
    const edited = aReply({ messageTs, text: 'Shorter, please', editedTs: '9', mentionsBot: true });
    world.apply({ type: 'reply_edited', reply: edited });
    expect(goesOut(world)).toEqual(['Shorter, please']);
  });

  test('shows an aside for one, and what is made of it for what was muted', () => {
    const world = aWorkingJob();
    world.reply('mute');
    const messageTs = world.reply('aside: lunch');
    expect(world.states.at(-1)).toBe('aside');
    edit(world, messageTs, 'lunch', '9.1');
    expect(world.states.at(-1)).toBe('muted');
    edit(world, messageTs, 'aside lunch', '9.2');
    expect(world.states.at(-1)).toBe('aside');
  });

  test('is not made by a longer text that contains the word', () => {
    const world = aWorkingJob();
    world.reply('mute the intro');
    expect(world.job.muted).toBe(false);
    expect(goesOut(world)).toEqual(['mute the intro']);
  });

  test('takes a word that ended it, and was edited into a request, for that', () => {
    const world = aWorkingJob();
    const messageTs = world.reply('unmute');
    edit(world, messageTs, 'Mention the retries');
    expect(goesOut(world)).toEqual(['Mention the retries']);
  });

  test('can be made by an edit, too: the thread and the program say the same', () => {
    const world = aWorkingJob();
    edit(world, world.reply('mut'), 'mute');
    expect(world.job.muted).toBe(true);
    expect(goesOut(world)).toEqual([]);
  });
});

describe('where only mentions are follow-ups (F4, L3)', () => {
  test('other replies stay in the thread', () => {
    const world = aWorkingJob({ followUpMode: 'mentions' });
    world.reply('Shall we have lunch?');
    world.reply('Shorter, please', { mentionsBot: true });
    expect(goesOut(world)).toEqual(['Shorter, please']);
  });

  test('a reply goes out, once, when an edit adds the mention that it lacked (F5)', () => {
    const world = aWorkingJob({ followUpMode: 'mentions' });
    const messageTs = world.reply('Shorter, please');
    edit(world, messageTs, 'Much shorter, please');
    for (const editedTs of ['9.000002', '9.000002', '9.000003']) {
      const edited = aReply({ messageTs, text: 'Much shorter', editedTs, mentionsBot: true });
      world.apply({ type: 'reply_edited', reply: edited });
    }
    expect(goesOut(world)).toEqual(['Much shorter']);
  });
});

describe('thanks (F4)', () => {
  test('stay between people, and their author learns so once', () => {
    const world = anEndedJob();
    const before = world.ephemerals.length;
    for (const text of ['Thanks a lot!', ':tada:', 'ok']) world.reply(text);
    expect(world.states).toEqual(['aside', 'aside', 'aside']);
    expect(world.ephemerals.length - before).toBe(1);
    expect(goesOut(world)).toEqual([]);
  });

  test('go out when their author says so, once', () => {
    const world = anEndedJob();
    const messageTs = world.reply('ok');
    sendAnyway(world, messageTs);
    sendAnyway(world, messageTs);
    expect(goesOut(world)).toEqual(['ok']);
    sendAnyway(world, messageTs);
    expect(goesOut(world)).toEqual(['ok']);
  });

  test('go out when they become a request, and not while they are still thanks', () => {
    const world = anEndedJob();
    const messageTs = world.reply('thanks');
    edit(world, messageTs, 'thanks!');
    expect(goesOut(world)).toEqual([]);
    edit(world, messageTs, 'thanks, now shorter', '9.000002');
    expect(goesOut(world)).toEqual(['thanks, now shorter']);
  });

  test('an aside cannot be sent anyway: its words are not kept', () => {
    const world = anEndedJob();
    sendAnyway(world, world.reply('aside: thanks'));
    expect(goesOut(world)).toEqual([]);
  });
});
