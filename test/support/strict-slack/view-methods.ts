import { z } from 'zod';
import { argument, type Method, method } from './method.ts';
import { checkedView } from './view-shape.ts';

const view = z.unknown();
const triggered = z.strictObject({ trigger_id: argument.text, view });

const open = method(triggered, ({ views, triggers }, args) => {
  const draft = checkedView(args.view, 'modal');
  return { view: views.open(triggers.exchange(args.trigger_id), draft) };
});

const push = method(triggered, ({ views, triggers }, args) => {
  const draft = checkedView(args.view, 'modal');
  return { view: views.push(triggers.exchange(args.trigger_id), draft) };
});

const update = method(
  z
    .strictObject({
      view_id: argument.text.optional(),
      external_id: argument.text.optional(),
      hash: argument.text.optional(),
      view,
    })
    .refine(({ view_id, external_id }) => (view_id === undefined) !== (external_id === undefined), {
      message: 'either view_id or external_id',
    }),
  ({ views }, args) => {
    const old = views.find({ id: args.view_id, externalId: args.external_id });
    return { view: views.update(old, checkedView(args.view, old.type), args.hash) };
  },
);

const publish = method(
  z.strictObject({ user_id: argument.text, hash: argument.text.optional(), view }),
  ({ workspace, views }, args) => {
    const { id } = workspace.people.get(args.user_id);
    return { view: views.publish(id, checkedView(args.view, 'home'), args.hash) };
  },
);

export const viewMethods: Readonly<Record<string, Method>> = {
  'views.open': open,
  'views.push': push,
  'views.update': update,
  'views.publish': publish,
};
