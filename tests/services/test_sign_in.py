"""Guessing gets slower and slower, for who guesses; the owner of a name comes in from elsewhere at once."""

from __future__ import annotations

import contextlib
import threading
from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select

from grader.errors import UserError
from grader.services import accounts, sign_in
from grader.services.passwords import AT_A_TIME, CROWDED_MAX, WAITING_MAX, TooBusy
from grader.services.sign_in import FORGOTTEN, Slowed, WrongPassword
from grader.store.credential_models import SignInFailure
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, cheap_passwords

PASSWORD = "seven quiet otters"
HASHES = cheap_passwords()
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def ada(engine: Engine) -> User:
    with write_session(engine) as session:
        return accounts.add(session, "Ada Lovelace", HASHES.hash(PASSWORD), NOON)


def enter(
    engine: Engine, password: str = PASSWORD, address: str = HOME, seconds: float = 0, name: str = "Ada Lovelace"
) -> User:
    return sign_in.sign_in(engine, HASHES, name, password, address, NOON + timedelta(seconds=seconds))


def guess(engine: Engine, times: int, address: str = HOME, seconds: float = 0, name: str = "Ada Lovelace") -> None:
    for _ in range(times):
        with pytest.raises(WrongPassword):
            enter(engine, "a wrong guess", address, seconds, name)


def failures(engine: Engine) -> int:
    """Return how many failures are counted, each as often as it counts."""
    with read_session(engine) as session:
        return session.scalar(select(func.sum(SignInFailure.count))) or 0


def test_name_and_password_open_the_account(engine: Engine, ada: User) -> None:
    for name in ("Ada Lovelace", " ADA  lovelace "):
        assert enter(engine, name=name).id == ada.id
    assert failures(engine) == 0


def test_an_unknown_name_gets_the_same_sentence(engine: Engine, ada: User) -> None:
    told = set()
    names = ("Ada Lovelace", "Eve", "", "\0", "\ud800", "x" * 100_000, " any", "a\u202eb", "' OR 1=1 --")
    for number, name in enumerate(names):
        with pytest.raises(WrongPassword) as refused:
            enter(engine, "a wrong guess", f"192.0.2.{number}", name=name)
        told.add((refused.value.message, refused.value.status))
    assert len(told) == 1


def test_who_has_no_password_is_let_in_by_none(engine: Engine) -> None:
    with write_session(engine) as session:
        accounts.add(session, "Ada Lovelace", None, NOON)
    for password in ("", "None", PASSWORD):
        with pytest.raises(WrongPassword):
            enter(engine, password)


def test_a_name_typed_in_other_letters_is_the_same_name_and_waits_with_it(engine: Engine, ada: User) -> None:
    wide = "\uff21\uff44\uff41 Lovelace"
    assert enter(engine, name=wide).id == ada.id
    guess(engine, 5, name=wide)
    with pytest.raises(Slowed):
        enter(engine, seconds=9)


def test_the_waits_double_whether_there_is_such_a_user_or_not(engine: Engine, ada: User) -> None:
    for name in ("Ada Lovelace", "Nobody"):
        guess(engine, 5, name=name)
        clock = 0.0
        for wait in (10, 20, 40, 80, 160, 320, 640, 900, 900):
            with pytest.raises(Slowed) as refused:
                enter(engine, seconds=clock + wait - 1, name=name)
            assert refused.value.retry_after_s == 1
            clock += wait
            guess(engine, 1, seconds=clock, name=name)


def test_the_right_password_waits_as_well_and_then_clears_the_count(engine: Engine, ada: User) -> None:
    guess(engine, 5)
    with pytest.raises(Slowed, match="wait 10 seconds"):
        enter(engine)
    assert enter(engine, seconds=10).id == ada.id
    guess(engine, 5, seconds=11)


def test_the_owner_comes_in_from_elsewhere_after_five_hundred_guesses(engine: Engine, ada: User) -> None:
    for second in range(500):
        with contextlib.suppress(Slowed):
            guess(engine, 1, seconds=second)
    assert enter(engine, address=ELSEWHERE, seconds=500).id == ada.id


def make_crowd(engine: Engine) -> None:
    """Store that so much was guessed from a network that it is watched as a whole."""
    with write_session(engine) as session:
        session.add(SignInFailure(name_key=" any", address=HOME, count=500, last_at=NOON))


def test_one_who_guesses_keeps_no_one_of_their_network_out(engine: Engine) -> None:
    for number in range(30):
        with write_session(engine) as session:
            accounts.add(session, f"Student {number}", HASHES.hash(PASSWORD), NOON)
    for number in range(100):
        guess(engine, 5, name=f"name {number}")
    for number in range(30):
        guess(engine, 1, name=f"guessed {number}")
        with pytest.raises(Slowed):
            enter(engine, name=f"guessed {number}")
        assert enter(engine, name=f"Student {number}").name == f"Student {number}"


def test_in_a_network_that_guesses_much_a_name_that_failed_waits(engine: Engine, ada: User) -> None:
    make_crowd(engine)
    guess(engine, 1)
    with pytest.raises(Slowed, match="wait 2 seconds"):
        enter(engine)
    assert enter(engine, address=ELSEWHERE).id == ada.id
    assert enter(engine, seconds=3).id == ada.id
    assert enter(engine, seconds=3).id == ada.id


def test_known_and_unknown_names_are_counted_alike_where_much_is_guessed(engine: Engine, ada: User) -> None:
    make_crowd(engine)
    for name in ("Ada Lovelace", "Nobody"):
        guess(engine, 1, name=name)
        with pytest.raises(Slowed):
            enter(engine, "a wrong guess", name=name)


def test_a_crowd_of_one_network_leaves_places_to_others(engine: Engine, ada: User) -> None:
    make_crowd(engine)
    full = cheap_passwords()
    with contextlib.ExitStack() as crowd:
        for _ in range(CROWDED_MAX):
            crowd.enter_context(full.crowded_place())
        for _ in range(3):  # and what was not tried has not failed
            with pytest.raises(TooBusy):
                sign_in.sign_in(engine, full, "Ada Lovelace", PASSWORD, HOME, NOON)
        assert sign_in.sign_in(engine, full, "Ada Lovelace", PASSWORD, ELSEWHERE, NOON).id == ada.id
    assert sign_in.sign_in(engine, full, "Ada Lovelace", PASSWORD, HOME, NOON).id == ada.id


def test_from_many_networks_a_name_is_guessed_once_a_second(engine: Engine, ada: User) -> None:
    for number in range(100):
        guess(engine, 1, f"203.0.113.{number}")
    with pytest.raises(Slowed, match="wait 1 second and"):
        guess(engine, 1, ELSEWHERE)
    guess(engine, 1, ELSEWHERE, seconds=1)
    assert enter(engine, seconds=2).id == ada.id


def test_old_failures_are_removed(engine: Engine, ada: User) -> None:
    guess(engine, 5)
    guess(engine, 2, name="Nobody")
    late = FORGOTTEN.total_seconds() + 1
    enter(engine, seconds=late, address=ELSEWHERE)
    assert failures(engine) == 0
    guess(engine, 5, seconds=late)


def test_guesses_at_once_gain_nothing(engine: Engine, ada: User) -> None:
    outcomes: list[type[BaseException]] = []

    def one() -> None:
        try:
            # each with places of its own, as in several processes
            sign_in.sign_in(engine, cheap_passwords(), "Ada Lovelace", "a wrong guess", HOME, NOON)
        except (WrongPassword, Slowed) as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert outcomes.count(WrongPassword) == 5
    assert outcomes.count(Slowed) == 7


def test_a_crowd_is_refused_before_anything_is_stored(engine: Engine, ada: User) -> None:
    full = cheap_passwords()
    with contextlib.ExitStack() as crowd:
        for _ in range(AT_A_TIME + WAITING_MAX):
            crowd.enter_context(full.place())
        for _ in range(6):
            with pytest.raises(TooBusy):
                sign_in.sign_in(engine, full, "Ada Lovelace", PASSWORD, HOME, NOON)
            with pytest.raises(TooBusy):
                sign_in.sign_up(engine, full, "Eve", PASSWORD, HOME, NOON)
            with pytest.raises(TooBusy):
                sign_in.confirm(engine, full, ada, PASSWORD, NOON)
    assert failures(engine) == 0
    assert sign_in.sign_in(engine, full, "Ada Lovelace", PASSWORD, HOME, NOON).id == ada.id


def test_signing_up_makes_a_user_without_rights(engine: Engine) -> None:
    user = sign_in.sign_up(engine, HASHES, " Eve ", PASSWORD, HOME, NOON)
    assert (user.name, user.is_admin, user.is_interviewer) == ("Eve", False, False)
    assert enter(engine, name="eve").id == user.id


def test_signing_up_is_bounded_by_address(engine: Engine, ada: User) -> None:
    for _ in range(100):
        with pytest.raises(UserError, match="is taken"):
            sign_in.sign_up(engine, HASHES, "ada lovelace", PASSWORD, HOME, NOON)
    with pytest.raises(Slowed):
        sign_in.sign_up(engine, HASHES, "Eve", PASSWORD, HOME, NOON)
    assert sign_in.sign_up(engine, HASHES, "Eve", PASSWORD, ELSEWHERE, NOON).name == "Eve"
    with read_session(engine) as session:
        assert session.scalar(select(func.count(User.id))) == 2


def test_confirming_counts_for_the_account_alone(engine: Engine, ada: User) -> None:
    guess(engine, 5)
    sign_in.confirm(engine, HASHES, ada, PASSWORD, NOON)
    for _ in range(5):
        with pytest.raises(WrongPassword, match="not your current password"):
            sign_in.confirm(engine, HASHES, ada, "a wrong guess", NOON)
    with pytest.raises(Slowed):
        sign_in.confirm(engine, HASHES, ada, PASSWORD, after(0.1))
    assert enter(engine, address=ELSEWHERE).id == ada.id
    sign_in.confirm(engine, HASHES, ada, PASSWORD, after(10))
    sign_in.confirm(engine, HASHES, ada, PASSWORD, after(10))


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("", "local"),
        (None, "local"),
        ("x" * 1000, "local"),
    ],
)
def test_addresses_are_counted_by_network(address: str | None, counted: str) -> None:
    assert sign_in.network_of(address) == counted
    assert len(counted) <= 45
