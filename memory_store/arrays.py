"""Types of the NumPy arrays for searching."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.uint32]
Floats: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[np.int64]
