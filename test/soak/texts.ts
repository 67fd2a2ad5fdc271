/** What the agent makes of a text: another pull request, the one that there is, or nothing. */
export type AgentInstruction = 'new_link' | 'same_link' | 'no_link' | 'fail_once';

/** The prompt of a story. Its number is found again in all that is said of it. */
export function promptText(story: number, instruction: AgentInstruction): string {
  return `Document part J${story}, please (${instruction}).`;
}

/** What is said in a thread before somebody mentions the bot there. */
export function talkText(story: number): string {
  return `Nobody understands part J${story}.`;
}

/** Only a card has a prompt as its title. */
export function isCardText(text: string): boolean {
  return /\*(?:Document|Nobody understands) part J/.test(text);
}

export function replyText(reply: number, story: number, instruction: AgentInstruction): string {
  return `Reply R${reply} for part J${story}: say more (${instruction}).`;
}

/** A request to the agent on one line. */
export function lineOf(request: string): string {
  return request.trim().replace(/\s+/g, ' ');
}

/** The number of the story that a text tells of, or null. */
export function storyOf(text: string): number | null {
  const [, digits] = /\bJ(\d+)\b/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** The instruction of the last text in a message to the agent. */
export function instructionIn(text: string): AgentInstruction {
  const [, instruction = 'same_link'] =
    [...text.matchAll(/\((new_link|same_link|no_link|fail_once)\)/g)].at(-1) ?? [];
  return instruction as AgentInstruction;
}

/** Other addresses of the same pull request. */
export const OTHER_SPELLINGS: readonly ((link: string) => string)[] = [
  (link) => `${link}/`,
  (link) => `${link}/files`,
  (link) => `${link}?diff=split#top`,
  (link) => link.replace('acme/docs', 'Acme/Docs'),
];

/** The address of the nth pull request: no two are the same, and none is the stand-in agent's own. */
export function pullRequestUrl(number: number): string {
  return `https://github.com/acme/docs/pull/${1_000_000 + number}`;
}
