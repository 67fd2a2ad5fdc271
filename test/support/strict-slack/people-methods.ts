import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';
import { argument, type Method, method } from './method.ts';
import { isOutsider, type UserGroup } from './people.ts';

const { teamId } = strictApp;

const info = method(
  z.strictObject({ user: argument.text, include_locale: argument.flag.optional() }),
  ({ workspace }, args) => {
    const person = workspace.people.get(args.user);
    const { id, name, realName, isDeleted, isBot } = person;
    const membership = {
      is_restricted: person.isRestricted,
      is_ultra_restricted: person.isUltraRestricted,
      is_admin: person.isAdmin,
      is_owner: person.isOwner,
      is_primary_owner: person.isPrimaryOwner,
      tz: person.tz,
    };
    return {
      user: {
        id,
        team_id: person.teamId,
        name,
        real_name: realName,
        profile: { display_name: name, real_name: realName, team: person.teamId },
        deleted: isDeleted,
        is_bot: isBot,
        ...(isDeleted ? {} : membership),
        ...(isOutsider(person) ? { is_stranger: !workspace.isNeighbour(id) } : {}),
      },
    };
  },
);

const lookupByEmail = method(z.strictObject({ email: argument.text }), ({ workspace }, { email }) => {
  const found = workspace.people.findByEmail(email);
  if (found === undefined) throw new ApiError('users_not_found');
  return { user: { id: found.id, team_id: found.teamId, name: found.name } };
});

const usersOfGroup = method(
  z.strictObject({ usergroup: argument.text, include_disabled: argument.flag.optional() }),
  ({ workspace }, { usergroup }) => {
    const group = workspace.people.groups.get(usergroup);
    if (group === undefined) throw new ApiError('no_such_subteam');
    return { users: group.members };
  },
);

const groups = method(
  z.strictObject({
    include_count: argument.flag.optional(),
    include_disabled: argument.flag.optional(),
    include_users: argument.flag.optional(),
  }),
  ({ workspace }, { include_count, include_users }) => ({
    usergroups: [...workspace.people.groups.values()].map((group) => ({
      ...shownGroup(group),
      ...(include_count ? { user_count: group.members.length } : {}),
      ...(include_users ? { users: group.members } : {}),
    })),
  }),
);

function shownGroup({ id, handle }: UserGroup): Readonly<Record<string, unknown>> {
  return {
    id,
    team_id: teamId,
    is_usergroup: true,
    is_external: false,
    name: handle,
    handle,
    description: '',
    date_delete: 0,
  };
}

export const peopleMethods: Readonly<Record<string, Method>> = {
  'users.info': info,
  'users.lookupByEmail': lookupByEmail,
  'usergroups.list': groups,
  'usergroups.users.list': usersOfGroup,
};
