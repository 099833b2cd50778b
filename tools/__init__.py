"""What keeps the project itself: its generated documents, licences and bars. No part of what is installed."""
