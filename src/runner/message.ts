import { z } from 'zod';

const PROMPT_MAX = 1_000_000;
const IMAGES_MAX = 8;
const IMAGES_MAX_BYTES = 20 * 1024 * 1024;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export type Image = z.infer<typeof image>;
export type Message = z.infer<typeof message>;

const image = z.object({
  name: z.string().max(255),
  mimeType: z.enum(IMAGE_TYPES, `must be one of ${IMAGE_TYPES.join(', ')}`),
  data: z.base64('must be base64'),
});

export const message = z.object({
  prompt: z
    .string('is missing')
    .max(PROMPT_MAX, `is longer than ${PROMPT_MAX} characters`)
    .refine((prompt) => prompt.trim() !== '', 'must not be empty'),
  images: z
    .array(image)
    .max(IMAGES_MAX, `are more than ${IMAGES_MAX}`)
    .refine((images) => bytesOf(images) <= IMAGES_MAX_BYTES, `are more than ${IMAGES_MAX_BYTES} bytes`)
    .default([]),
});

function bytesOf(images: readonly Image[]): number {
  return images.reduce((bytes, { data }) => bytes + Buffer.byteLength(data, 'base64'), 0);
}
