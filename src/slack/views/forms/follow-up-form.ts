import type { ModalView } from '@slack/types';
import { encode, type FollowUpForm } from '../../protocol/form-data.ts';
import { viewIds } from '../../protocol/ids.ts';
import { form, promptInput } from '../parts/form.ts';
import { labels } from '../parts/words.ts';

/** The form that asks for a follow-up. */
export function followUpForm(data: FollowUpForm, promptMaxLength: number): ModalView {
  return form({ id: viewIds.followUp, title: labels.followUp, submit: labels.send, data: encode(data) }, [
    promptInput('', promptMaxLength),
  ]);
}
