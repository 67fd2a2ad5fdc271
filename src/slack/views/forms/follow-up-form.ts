import type { ModalView } from '@slack/types';
import type { Job } from '../../../jobs/job.ts';
import { encodeButton, viewIds } from '../../ids.ts';
import { form, promptInput } from '../parts/form.ts';
import { labels } from '../parts/words.ts';

/** The form that asks for a follow-up. */
export function followUpForm({ id: jobId }: Job, promptMaxLength: number): ModalView {
  return form(
    { id: viewIds.followUp, title: labels.followUp, submit: labels.send, data: encodeButton({ jobId }) },
    [promptInput('', promptMaxLength)],
  );
}
