"""An allowance that runs out."""

from assistant.errors import TooOften
from assistant.limits import Allowance
from assistant.types import Scope
from tests.support.memory.loop import ME

FROM_AFAR = Scope(ME.person, address="1.2.3.4")


class LimitedAllowance(Allowance):
    """Allowance of a few answers for one address."""

    def __init__(self, left: int) -> None:
        self.left = left

    def turn(self, scope: Scope, answers: int = 1) -> None:
        assert scope.address == FROM_AFAR.address
        if self.left < answers:
            raise TooOften(1)
        self.left -= answers
