import { unescaped } from './prompt.ts';

const WORDS_MAX = 8;
/** `<@U123>` and the like. */
const MENTION = /<[@#!][^<>]*>/g;
/** `:tada:`, `👍🏽`, `❤️`, `:-)`, `<3`, `+1`. A digit alone is no emoji, though Unicode calls it one. */
const EMOJI =
  /:[a-z0-9_+'-]+:|[\p{Extended_Pictographic}\p{Regional_Indicator}](?:\p{Emoji_Modifier}|\p{Extended_Pictographic}|\p{Regional_Indicator}|\u200d|\ufe0f)*|[:;]-?[)dp](?!\w)|<3|\+1(?!\d)/giu;

const GREETINGS = words(
  'hi hello hey heya hiya howdy hallo hola bonjour ciao servus moin morning afternoon evening',
);
const THANKS = words(
  `thank thanks thanx thx thankyou ty tysm cheers appreciated danke merci gracias grazie obrigado obrigada tack
  ok okay okey kk k great nice perfect awesome cool super excellent wonderful brilliant amazing lovely fantastic
  sweet neat lgtm yay wow good`,
);
/** What stands beside such words without asking for anything. */
const FILLERS = words(
  `you u so much very a lot many all everyone everybody team folks there bot docs agent docs-agent again for the your
  that this it is looks look work job well done to me and day help`,
);

/** What a text without a request is: a greeting, or thanks (also an "ok", or nothing but emoji). Null: neither. */
export function smallTalkOf(slackText: string): 'greeting' | 'thanks' | null {
  const text = unescaped(slackText.replace(MENTION, ' ')).toLowerCase();
  const rest = text.replace(EMOJI, ' ');
  const said = rest.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  if (said.length === 0) return rest !== text && /^[\s\p{P}]*$/u.test(rest) ? 'thanks' : null;
  const isKnown = (word: string) => GREETINGS.has(word) || THANKS.has(word) || FILLERS.has(word);
  // A question is one even in kind words.
  if (said.length > WORDS_MAX || !said.every(isKnown) || /[?:`/\\]/.test(rest)) return null;
  if (said.some((word) => GREETINGS.has(word))) return 'greeting';
  return said.some((word) => THANKS.has(word)) ? 'thanks' : null;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}
