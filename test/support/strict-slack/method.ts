import { z } from 'zod';
import { ApiError } from './api-error.ts';
import type { Files } from './files.ts';
import type { Block } from './message.ts';
import type { AgentSessions } from './statuses.ts';
import type { Steps } from './steps.ts';
import type { Triggers } from './triggers.ts';
import type { Views } from './views.ts';
import type { Channel, Workspace } from './workspace.ts';

export interface MethodContext {
  readonly workspace: Workspace;
  readonly triggers: Triggers;
  readonly views: Views;
  readonly files: Files;
  readonly sessions: AgentSessions;
  readonly steps: Steps;
  /** The blocks of a message as they are stored. */
  readonly stored: (blocks: readonly Block[]) => readonly Block[];
  /** Where the next Socket Mode connection goes. */
  readonly newSocketAddress: (program: string) => string;
  /** Whose call it is, of several programs with the same tokens: the first part of the address that it calls. */
  readonly program: string;
}

/** Carries a call out, and returns its answer without `ok`. Throws ApiError. */
export type Method = (context: MethodContext, args: unknown) => Readonly<Record<string, unknown>>;

/** A method that takes such arguments; others are refused as `invalid_arguments`. */
export function method<T extends z.ZodType>(
  shape: T,
  run: (context: MethodContext, args: z.infer<T>) => ReturnType<Method>,
): Method {
  return (context, args) => {
    const parsed = shape.safeParse(args);
    if (parsed.success) return run(context, parsed.data);
    throw new ApiError(
      'invalid_arguments',
      parsed.error.issues.map(({ message, path }) => `${path.join('.')}: ${message}`),
    );
  };
}

/** Arguments as forms carry them, and as JSON does. */
export const argument = {
  text: z.string().min(1),
  ts: z.string().regex(/^\d+\.\d{6}$/),
  time: z.string().regex(/^\d+(\.\d{1,6})?$/),
  flag: z.union([z.boolean(), z.stringbool()]),
  count: z.coerce.number().int().min(1).max(999),
};

/** A channel that the bot is in. */
export function joinedChannel(workspace: Workspace, id: string, botUserId: string): Channel {
  const channel = workspace.channel(id);
  if (channel.members.has(botUserId)) return channel;
  // Of what is private, the bot does not even know that it is there.
  throw new ApiError(channel.type === 'channel' ? 'not_in_channel' : 'channel_not_found');
}

/** A channel that the bot is in, and that is not archived. */
export function writableChannel(workspace: Workspace, id: string, botUserId: string): Channel {
  const channel = joinedChannel(workspace, id, botUserId);
  if (channel.isArchived) throw new ApiError('is_archived');
  return channel;
}
