import { z } from 'zod';
import { SECTION_TEXT_MAX } from './limits.ts';

/** Of blocks, actions and callbacks. */
const ID_MAX = 255;
const OPTION_TEXT_MAX = 75;
const OPTION_VALUE_MAX = 150;

export const id = z.string().max(ID_MAX);

export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });

const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(max),
    verbatim: z.boolean().optional(),
  });

export const anyText = (max = SECTION_TEXT_MAX) => z.union([plainText(max), mrkdwn(max)]);

const option = <T extends z.ZodType>(text: T) =>
  z.strictObject({
    text,
    value: z.string().min(1).max(OPTION_VALUE_MAX),
    description: text.optional(),
  });
/** An option of a menu. */
export const plainOption = option(plainText(OPTION_TEXT_MAX));
/** An option of checkboxes or radio buttons. */
export const anyOption = option(anyText(OPTION_TEXT_MAX));

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});
