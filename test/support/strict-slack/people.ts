import { testWorkspace } from '../local-slack.ts';
import { ApiError } from './api-error.ts';
import { strictApp } from './ids.ts';

const { teamId, botUserId } = strictApp;

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  /** Their workspace. */
  readonly teamId: string;
  /** A guest in several channels. */
  readonly isRestricted: boolean;
  /** A guest in one channel. */
  readonly isUltraRestricted: boolean;
  /** An admin of the workspace. */
  readonly isAdmin: boolean;
  readonly isOwner: boolean;
  readonly isPrimaryOwner: boolean;
  readonly isBot: boolean;
  readonly isDeleted: boolean;
  readonly tz: string;
}

/** Left out: a full member of the bot's workspace. */
export type NewPerson = Pick<Person, 'id' | 'name'> & Partial<Person>;

export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly members: readonly string[];
}

/** Who is there, and in which user groups. */
export class People {
  readonly groups = new Map<string, UserGroup>();
  readonly #people = new Map<string, Person>();

  /** At first the people of `testWorkspace`, and the bot. */
  constructor() {
    for (const user of testWorkspace.users) this.add(user);
    this.add({ id: botUserId, name: 'docs-agent', realName: 'Docs Agent', isBot: true });
  }

  /** Takes the place of one with the same id. */
  add(person: NewPerson): void {
    this.#people.set(person.id, {
      realName: person.name,
      teamId,
      isRestricted: false,
      isUltraRestricted: false,
      isAdmin: false,
      isOwner: false,
      isPrimaryOwner: false,
      isBot: false,
      isDeleted: false,
      tz: 'Etc/UTC',
      ...person,
    });
  }

  find(id: string): Person | undefined {
    return this.#people.get(id);
  }

  /** Everybody's address is `<name>@acme.example`. */
  findByEmail(email: string): Person | undefined {
    return [...this.#people.values()].find(({ name, isBot }) => !isBot && email === `${name}@acme.example`);
  }

  /** Throws ApiError `user_not_found`. */
  get(id: string): Person {
    const person = this.find(id);
    if (person === undefined) throw new ApiError('user_not_found');
    return person;
  }
}

export function isOutsider(person: Person): boolean {
  return person.teamId !== teamId;
}
