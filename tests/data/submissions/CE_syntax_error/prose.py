Here is the corrected function:

```python
import numpy as np
```
