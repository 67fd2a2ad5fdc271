import type { SlackMessage } from '../../views/parts/message.ts';
import { isYes } from './http.ts';

/** Answers a request privately, where it was made. False: Slack did not take it there. @param fetchAnswer see `answerFetch` */
export async function respond(
  fetchAnswer: typeof fetch,
  responseUrl: string,
  { text, blocks }: SlackMessage,
): Promise<boolean> {
  try {
    const response = await fetchAnswer(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response_type: 'ephemeral', text, blocks }),
    });
    return response.ok && isYes(await response.text());
  } catch {
    // The direct message is the way out.
    return false;
  }
}
