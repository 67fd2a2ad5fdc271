import { describe } from 'vitest';
import { callContract } from './store/calls.ts';
import { featureContract } from './store/features.ts';
import { jobContract } from './store/jobs.ts';
import type { OpenStore } from './store/opened.ts';
import { replyContract } from './store/replies.ts';
import { taskModelContract } from './store/task-model.ts';
import { taskContract } from './store/tasks.ts';
import { workspaceContract } from './store/workspaces.ts';

/** What every store must do, whatever database it keeps its rows in. `open` opens an empty one. */
export function storeContract(name: string, open: OpenStore): void {
  describe(name, () => {
    jobContract(open);
    replyContract(open);
    callContract(open);
    taskContract(open);
    taskModelContract(open);
    workspaceContract(open);
    featureContract(open);
  });
}
