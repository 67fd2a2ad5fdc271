import { STEP_ID } from './ids.ts';

/** The step of workflows, as Slack's manifest describes it. The names of inputs and outputs are those of the event. */
export const workflowStep = {
  [STEP_ID]: {
    title: 'Ask docs-agent',
    description: 'Ask for a documentation change',
    input_parameters: {
      properties: {
        request: {
          type: 'string',
          title: 'Request',
          description: 'What should change in the documentation',
        },
        channel: {
          type: 'slack#/types/channel_id',
          title: 'Channel',
          description: 'Where the card is posted; docs-agent must be in it',
        },
        project: {
          type: 'string',
          title: 'Project',
          description: 'Its name; leave empty for the project of the channel',
        },
        person: {
          type: 'slack#/types/user_context',
          title: 'Person',
          description: 'Who asks: the person who started the workflow',
        },
        draft: {
          type: 'boolean',
          title: 'As a draft',
          description: 'Nothing goes to the agent before somebody presses Start',
        },
        wait: {
          type: 'boolean',
          title: 'Wait until it is done',
          description: 'The workflow continues once there is a pull request',
        },
      },
      required: ['request', 'channel'],
    },
    output_parameters: {
      properties: {
        thread: { type: 'string', title: 'Thread', description: 'The address of the thread' },
        state: {
          type: 'string',
          title: 'State',
          description: 'started or draft; after waiting, pull_request or done',
        },
        pull_request: {
          type: 'string',
          title: 'Pull request',
          description: 'Its address, if there is one by then',
        },
      },
      required: ['thread', 'state'],
    },
  },
};
